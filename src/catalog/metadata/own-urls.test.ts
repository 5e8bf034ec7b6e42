import { describe, expect, it } from 'vitest';
import type { Settings } from '../../platform/env.ts';
import { isOwnUrl, isUrlOfToken } from './own-urls.ts';

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

const base = 'http://127.0.0.1:8787/metadata';
const served = (url: string, tokenId = '7', ercStandard: '721' | '1155' = '721') => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only setting that is read
  const settings = { METADATA_BASE_URI: `${base}/` } as Settings;
  return isUrlOfToken({ settings, origin: 'https://api.example' }, url, {
    contractAddress: contract,
    tokenId,
    ercStandard,
  });
};

describe('a URL under which a token is served', () => {
  it.each([
    `${base}/${contract}/7`,
    `https://api.example/metadata/${contract}/7`,
    `https://API.example:443/metadata/0x8ba1f109551bD432803012645Ac136ddd64DBA72/7`,
    `http://localhost:8787/metadata/${contract}/7`,
    `${base}/${contract}/${hexId}`,
  ])('is %s', (url) => {
    expect(served(url)).toBe(true);
  });

  it.each([
    ['another token', `${base}/${contract}/8`],
    ['another contract', `${base}/0x${'12'.repeat(20)}/7`],
    ['no token', `${base}/${contract}`],
    ['a slash at the end', `${base}/${contract}/7/`],
    ['doubled slashes', `http://127.0.0.1:8787//metadata//${contract}/7`],
    ['capitals', `http://127.0.0.1:8787/METADATA/${contract}/7`],
    ['encoding', `http://127.0.0.1:8787/metadata%2f${contract}/7`],
    ['an encoded id', `${base}/${contract}/%37`],
    ['dots', `http://127.0.0.1:8787/x/../metadata/${contract}/7`],
    ['leading zeros', `${base}/${contract}/07`],
    ['a query', `${base}/${contract}/7?v=2`],
    ['a fragment', `${base}/${contract}/7#top`],
    ['another protocol', `http://api.example/metadata/${contract}/7`],
    ['another port', `http://127.0.0.1:8788/metadata/${contract}/7`],
    ['the template of ERC-1155', `${base}/${contract}/{id}`],
  ])('has not %s', (_, url) => {
    expect(served(url)).toBe(false);
  });

  it('is also the template for ERC-1155, but nothing else in braces', () => {
    expect(served(`${base}/${contract}/{id}`, '7', '1155')).toBe(true);
    expect(served(`${base}/${contract}/{ID}`, '7', '1155')).toBe(false);
  });

  it('has no id that is served as another token first', () => {
    const digits = '1'.repeat(64);
    const asHex = BigInt(`0x${digits}`).toString();
    expect(served(`${base}/${contract}/${digits}`, digits)).toBe(true);
    expect(served(`${base}/${contract}/${digits}`, asHex)).toBe(false);
    expect(served(`${base}/${contract}/{id}`, asHex, '1155')).toBe(false);
    expect(served(`${base}/${contract}/${asHex}`, asHex)).toBe(true);
  });
});
