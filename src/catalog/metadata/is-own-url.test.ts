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
    ['with an encoded slash', `https://api.example/metadata%2f${contract}/7`],
    ['of no contract', 'https://api.example/metadata/certificates/7'],
    ['of no token', `https://api.example/metadata/${contract}.json`],
  ])('is recognised %s', (_, url) => {
    expect(isOwn(url)).toBe(true);
  });

  it('is recognised by METADATA_BASE_URI, with or without a trailing slash', () => {
    for (const base of ['https://cdn.example/nft', 'https://cdn.example/nft/', 'https://cdn.example']) {
      expect(isOwn(`${base.replace(/\/$/, '')}/${contract}/7`, base)).toBe(true);
      expect(isOwn(`https://api.example/metadata/${contract}/7`, base)).toBe(true);
    }
  });

  it('is recognised by every loopback name and address, on the same port', () => {
    const base = 'http://127.0.0.1:8787/metadata';
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST.', 'a.localhost', '127.1', '0x7f.2.3.4', '2130706433']) {
      expect([host, isOwn(`http://${host}:8787/metadata/${contract}/7`, base)]).toEqual([host, true]);
      expect([host, isOwn(`http://${host}:8788/metadata/${contract}/7`, base)]).toEqual([host, false]);
    }
    for (const host of ['0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:0.0.0.0]']) {
      expect([host, isOwn(`http://${host}:8787/metadata/${contract}/7`, base)]).toEqual([host, true]);
      expect([host, isOwn(`http://${host}:8787/metadata/${contract}/7`)]).toEqual([host, false]);
    }
    expect(isOwn(`http://10.0.0.1:8787/metadata/${contract}/7`, base)).toBe(false);
  });

  it.each([
    ['another host', `https://example.com/metadata/${contract}/7`],
    ['another port', `https://api.example:8443/metadata/${contract}/7`],
    ['a longer host', `https://api.example.org/metadata/${contract}/7`],
    ['another path', `https://api.example/files/${contract}/7`],
    ['a longer path', `https://api.example/metadata2/${contract}/7`],
    ['a path that is not UTF-8', `https://api.example/%ff/${contract}/7`],
    ['another protocol', `ipfs://api.example/${contract}/7`],
  ])('is not %s', (_, url) => {
    expect(isOwn(url)).toBe(false);
  });
});
