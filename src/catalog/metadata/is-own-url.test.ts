import { describe, expect, it } from 'vitest';
import type { Settings } from '../../platform/env.ts';
import { isOwnUrl } from './is-own-url.ts';

const contract = '0x8ba1f109551bd432803012645ac136ddd64dba72';
const hexId = '7'.padStart(64, '0');
const isOwn = (url: string, METADATA_BASE_URI?: string) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only settings that are read
  const settings = { METADATA_BASE_URI } as Settings;
  return isOwnUrl({ settings, origin: 'https://api.example' }, url);
};

describe('a URL under which token metadata is served', () => {
  it.each([
    ['as written on chain', `https://api.example/metadata/${contract}/7`],
    ['with a checksum', 'https://api.example/metadata/0x8ba1f109551bD432803012645Ac136ddd64DBA72/7'],
    ['in upper case', `https://API.EXAMPLE/metadata/${contract.toUpperCase()}/7`],
    ['with a hex id', `https://api.example/metadata/${contract}/${hexId}`],
    ['with a template', `https://api.example/metadata/${contract}/{id}`],
    ['with a query, a fragment and a slash', `https://api.example/metadata/${contract}/7/?v=2#top`],
    ['percent-encoded', `https://api.example/%6detadata/%30x${contract.slice(2)}/%37`],
    ['with dots and doubled slashes', `https://api.example/x/..//metadata//${contract}/7`],
    ['over http', `http://api.example/metadata/${contract}/7`],
    ['with its port', `https://api.example:443/metadata/${contract}/7`],
    ['with a dot after the host', `https://api.example./metadata/${contract}/7`],
    ['with credentials', `https://a:b@api.example/metadata/${contract}/7`],
  ])('is recognised %s', (_, url) => {
    expect(isOwn(url)).toBe(true);
  });

  it('is recognised by METADATA_BASE_URI, with or without a trailing slash', () => {
    for (const base of ['https://cdn.example/nft', 'https://cdn.example/nft/', 'https://cdn.example']) {
      expect(isOwn(`${base.replace(/\/$/, '')}/${contract}/7`, base)).toBe(true);
      expect(isOwn(`https://api.example/metadata/${contract}/7`, base)).toBe(true);
    }
  });

  it.each([
    ['another host', `https://example.com/metadata/${contract}/7`],
    ['another port', `https://api.example:8443/metadata/${contract}/7`],
    ['a longer host', `https://api.example.org/metadata/${contract}/7`],
    ['another path', `https://api.example/files/${contract}/7`],
    ['no contract', 'https://api.example/metadata/certificates/7'],
    ['a file', `https://api.example/metadata/${contract}.json`],
    ['a path that is not UTF-8', `https://api.example/%ff/${contract}/7`],
    ['another protocol', `ipfs://api.example/${contract}/7`],
  ])('is not %s', (_, url) => {
    expect(isOwn(url)).toBe(false);
  });
});
