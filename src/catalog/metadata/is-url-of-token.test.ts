import { describe, expect, it } from 'vitest';
import type { Settings } from '../../platform/env.ts';
import { isUrlOfToken } from './is-url-of-token.ts';

const contractAddress = '0x8ba1f109551bd432803012645ac136ddd64dba72';
const base = 'http://127.0.0.1:8787/metadata';
const served = (url: string, tokenId = '7', ercStandard: '721' | '1155' = '721') => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only setting that is read
  const settings = { METADATA_BASE_URI: `${base}/` } as Settings;
  return isUrlOfToken({ settings, origin: 'https://api.example' }, url, { contractAddress, tokenId, ercStandard });
};
const hexId = '7'.padStart(64, '0');

describe('a URL under which a token is served', () => {
  it.each([
    `${base}/${contractAddress}/7`,
    `https://api.example/metadata/${contractAddress}/7`,
    `https://API.example:443/metadata/0x8ba1f109551bD432803012645Ac136ddd64DBA72/7`,
    `http://localhost:8787/metadata/${contractAddress}/7`,
    `${base}/${contractAddress}/${hexId}`,
  ])('is %s', (url) => {
    expect(served(url)).toBe(true);
  });

  it.each([
    ['another token', `${base}/${contractAddress}/8`],
    ['another contract', `${base}/0x${'12'.repeat(20)}/7`],
    ['no token', `${base}/${contractAddress}`],
    ['a slash at the end', `${base}/${contractAddress}/7/`],
    ['doubled slashes', `http://127.0.0.1:8787//metadata//${contractAddress}/7`],
    ['capitals', `http://127.0.0.1:8787/METADATA/${contractAddress}/7`],
    ['encoding', `http://127.0.0.1:8787/metadata%2f${contractAddress}/7`],
    ['an encoded id', `${base}/${contractAddress}/%37`],
    ['dots', `http://127.0.0.1:8787/x/../metadata/${contractAddress}/7`],
    ['leading zeros', `${base}/${contractAddress}/07`],
    ['a query', `${base}/${contractAddress}/7?v=2`],
    ['a fragment', `${base}/${contractAddress}/7#top`],
    ['another protocol', `http://api.example/metadata/${contractAddress}/7`],
    ['another port', `http://127.0.0.1:8788/metadata/${contractAddress}/7`],
    ['the template of ERC-1155', `${base}/${contractAddress}/{id}`],
  ])('has not %s', (_, url) => {
    expect(served(url)).toBe(false);
  });

  it('is also the template for ERC-1155, but nothing else in braces', () => {
    expect(served(`${base}/${contractAddress}/{id}`, '7', '1155')).toBe(true);
    expect(served(`${base}/${contractAddress}/{ID}`, '7', '1155')).toBe(false);
  });

  it('has no id that is served as another token first', () => {
    const digits = '1'.repeat(64);
    const asHex = BigInt(`0x${digits}`).toString();
    expect(served(`${base}/${contractAddress}/${digits}`, digits)).toBe(true);
    expect(served(`${base}/${contractAddress}/${digits}`, asHex)).toBe(false);
    expect(served(`${base}/${contractAddress}/{id}`, asHex, '1155')).toBe(false);
    expect(served(`${base}/${contractAddress}/${asHex}`, asHex)).toBe(true);
  });
});
