import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createIndex, find, type SearchEntry } from '../../src/pages/site/find.ts';

const built = new URL('../../dist/pages/site/search.json', import.meta.url);
const entries: SearchEntry[] = JSON.parse(readFileSync(built, 'utf8'));
const index = createIndex(entries);

it.each([
  ['mint', '/docs/reference/order-mint'],
  ['how do I order a mint', '/docs/reference/order-mint'],
  ['bulk mint', '/docs/imports'],
  ['import csv', '/docs/imports'],
  ['cancel a mint', '/docs/reference/cancel-minting-order'],
  ['deploy contract', '/docs/reference/deploy-contract'],
  ['transfer ownership', '/docs/reference/transfer-ownership'],
  ['base uri', '/docs/reference/set-base-uri'],
  ['metadata', '/docs/metadata'],
  ['freeze metadata', '/docs/reference/freeze-metadata'],
  ['upload an image', '/docs/assets'],
  ['gasless', '/docs/gasless'],
  ['burn a token', '/docs/reference/execute-burn'],
  ['certificate', '/docs/certificates'],
  ['soulbound', '/docs/certificates'],
  ['revoke certificate', '/docs/reference/revoke-certificate'],
  ['reissue', '/docs/reference/reissue-certificate'],
  ['check a certificate', '/docs/certificate-check'],
  ['verifiable credential', '/docs/reference/get-credential'],
  ['gtin product', '/docs/reference/resolve-product'],
  ['claim link', '/docs/claims'],
  ['scan ticket at gate', '/docs/gate'],
  ['who holds a token', '/docs/reference/list-holdings'],
  ['list nfts of a wallet', '/docs/reference/list-wallet-nfts'],
  ['webhooks', '/docs/webhooks'],
  ['rotate webhook secret', '/docs/reference/rotate-webhook-secret'],
  ['mint.confirmed', '/docs/reference/on-mint-confirmed'],
  ['authentication', '/docs/keys'],
  ['rate limit', '/docs/errors#rate_limited'],
  ['errors', '/docs/errors'],
  ['sdk', '/docs/client'],
  ['approvals', '/docs/approvals'],
  ['pause account', '/docs/reference/pause-account'],
  ['backup', '/docs/operations#backup-and-restore'],
  ['POST /minting/order', '/docs/reference/order-mint'],
])('"%s" finds %s first', (query, href) => {
  expect(find(index, query)[0]?.id).toBe(href);
});

it('what has only some of the words comes after what has all', () => {
  const found = find(index, 'rotate webhook secret').map(({ id }) => String(id));
  expect(found).toHaveLength(8);
});

it('finds nothing for what no page has, whatever it is called', () => {
  expect(find(index, 'zzzzzzzz')).toEqual([]);
  for (const name of ['constructor', '__proto__', 'hasOwnProperty'])
    expect(Array.isArray(find(index, name))).toBe(true);
});
