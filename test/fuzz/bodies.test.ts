import { expect, it } from 'vitest';
import type { Operation } from './api-document.ts';
import { withResources } from './bodies.ts';
import { Members } from './json-text.ts';
import { huge } from './mutate.ts';
import { Picks } from './picks.ts';
import { Tenant } from './tenant.ts';

const burner = { address: '0x', privateKey: '0x' } as const;
const tenant = new Tenant({ corporateId: 'a', credentials: {}, reserved: [], signers: [], burner, webhookUrl: '' });
const operations = [
  { id: 'orderMint', path: '/minting/order' },
  { id: 'cancelMint', path: '/minting/cancel' },
  { id: 'createMetadata', path: '/metadata' },
].map(({ id, path }): Operation => ({
  id,
  path,
  method: 'POST',
  parameters: [],
  body: {},
  upload: undefined,
  security: [],
  responses: {},
}));

it.each([
  ['a string of 10 MB', huge],
  ['repeated members', new Members([['a', 1]])],
  ['an array', [1]],
  ['a string', 'a'],
  ['null', null],
])('sends %s as it is', (_, body) => {
  for (const operation of operations) expect(withResources(operation, body, tenant, new Picks([0]))).toBe(body);
});

it('names resources of the account in an object, also one without a prototype', () => {
  const [mint] = operations;
  if (mint === undefined) throw new Error('No operation');
  for (const body of [{ note: 'a' }, Object.assign(Object.create(null), { note: 'a' })]) {
    expect(withResources(mint, body, tenant, new Picks([0]))).toMatchObject({ note: 'a', chainId: '43114' });
  }
});
