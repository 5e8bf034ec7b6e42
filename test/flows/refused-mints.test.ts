import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  createMetadata,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import type { BuiltWorker } from '../fixtures/built-worker.ts';
import { startDataCenter } from '../fixtures/data-center.ts';
import { recordedBodies, setFaults, startFaultProxy, type FaultProxy } from '../fixtures/fault-proxy.ts';
import { deployElsewhere } from '../fixtures/foreign-contract.ts';
import { csvOf } from '../fixtures/imports.ts';

/** Low enough for a test to reach it. */
const READS = 30;
const chainId = '43114';
const OWNER_OF = encodeFunctionData({ ...standard721, functionName: 'ownerOf', args: [1n] }).slice(0, 10);

let node: FaultProxy;
let service: BuiltWorker;
let client: Client;
let contractAddress: Address;
/** A document that an order can use, as long as none is accepted. */
let metadataId: string;

beforeAll(async () => {
  // A separate proxy, so that the calls of other tests are not counted.
  node = await startFaultProxy(stack.rpcUrls[chainId] ?? '');
  service = await startDataCenter({ [`RPC_URL_${chainId}`]: node.url }, { READ_LIMITER: READS });
});
afterAll(async () => {
  await service.stop();
  await node.close();
});

/** An account whose contract, which is from elsewhere, has the token 1. */
beforeEach(async () => {
  client = (await newClient()).at(service.url);
  contractAddress = await deployElsewhere(client.account.walletAddress);
  const kind = { chainId, contractAddress, ercStandard: '721', contractType: 'standard' };
  await client.post('/contracts/register', kind);
  const { body } = await client.post('/minting/order', mintOf('1', await createMetadata(client)));
  await client.until(`/minting/${body.id}`, ['CONFIRMED']);
  metadataId = await createMetadata(client);
  await setFaults(node.url, [{ match: OWNER_OF, effect: 'record', times: 1_000_000 }], 'reads');
});

const mintOf = (tokenId: string, document = metadataId) => ({
  chainId,
  contractAddress,
  receiverAddress,
  tokenId,
  metadataId: document,
});
const headersOf = ({ account }: Client) => ({
  'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
  'x-corporate-id': account.corporateId,
});
const times = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, i) => make(i));

/** How many calls of `ownerOf` the node has had in this test. */
async function holderReads(): Promise<number> {
  const bodies = await recordedBodies(node.url, 'reads');
  return bodies.reduce((count, body) => count + body.split(OWNER_OF).length - 1, 0);
}

describe('mints that the chain refuses', () => {
  it.each([
    ['orders', '/minting/orders/batch', 'orders', (tokenId: string) => mintOf(tokenId)],
    [
      'claims',
      '/claims/batch',
      'claims',
      (tokenId: string) => {
        const { receiverAddress: _, ...claim } = mintOf(tokenId);
        return claim;
      },
    ],
  ] as const)('a batch of %s stops asking the chain after a few', async (_, path, name, itemOf) => {
    const { status, body } = await client.post(path, { [name]: times(100, () => itemOf('1')) });
    expect([status, body.accepted]).toEqual([200, 0]);
    const codes = body.results.map(({ code }: { code: string }) => code);
    expect(codes.slice(0, 10)).toEqual(times(10, () => 'token_unavailable'));
    expect(new Set(codes.slice(10))).toEqual(new Set(['rate_limited']));
    expect(body.results.at(-1)).toMatchObject({ message: expect.stringMatching(/not looked up/i) });
    expect(await holderReads()).toBe(10);
  });

  it('a batch asks for every token if the first ones are free', async () => {
    const documents = await Promise.all(times(25, () => createMetadata(client)));
    const orders = documents.map((document, index) => mintOf(String(index + 100), document));
    const { body } = await client.post('/minting/orders/batch', { orders: [...orders, mintOf('1')] });
    expect([body.accepted, body.refused]).toEqual([25, 1]);
    expect(body.results.at(-1)).toMatchObject({ code: 'token_unavailable' });
  });

  it('count as reads of the account, beyond which only mints that need none are accepted', async () => {
    const orders: Reply[] = [];
    // A new period may begin in the meantime.
    while (orders.length < 3 * READS && orders.at(-1)?.status !== 429) {
      orders.push(await client.post('/minting/order', mintOf('1')));
    }
    expect([orders[0]?.status, orders.at(-1)?.status]).toEqual([409, 429]);
    expect(orders.at(-1)?.headers.get('retry-after')).toBe('60');
    const before = await holderReads();
    const replies = await Promise.all(times(10, () => client.post('/minting/order', mintOf('1'))));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(await holderReads()).toBe(before + replies.length - refused.length);
    expect((await client.post('/minting/occupancy/check', { chainId, contractAddress, tokenId: '1' })).status).toBe(
      refused.length === replies.length ? 429 : 200,
    );
  });

  it('count as reads too if the chain allows them and a limit of the account does not', async () => {
    const limits = { ordersPerDay: 1 };
    const admin = {
      'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
      'content-type': 'application/json',
    };
    const path = `/admin/accounts/${client.account.corporateId}/limits`;
    const set = await call(path, { method: 'PUT', headers: admin, body: JSON.stringify(limits) }, service.url);
    expect(set.status).toBe(200);
    const documents = await Promise.all(times(10, () => createMetadata(client)));
    const orders = documents.map((document, index) => mintOf(String(index + 100), document));
    // A new period may begin in the meantime.
    for (let batch = 0; batch < 10; batch += 1) await client.post('/minting/orders/batch', { orders });
    expect(await holderReads()).toBeLessThanOrEqual(3 * READS);
  });

  it('make an import wait, whose check finds every fault', async () => {
    const rows = times(2 * READS, () => [receiverAddress, '1', metadataId]);
    const file = csvOf([['receiverAddress', 'tokenId', 'metadataId'], ...rows]);
    const target = new URLSearchParams({ kind: 'mints', chainId, contractAddress }).toString();
    const headers = { ...headersOf(client), 'content-type': 'text/csv' };
    const { body } = await call(`/imports?${target}`, { method: 'POST', headers, body: file }, service.url);
    expect(body.status).toBe('CHECKING');
    const read = async () => (await client.get(`/imports/${body.id}`)).body;
    const waits = async () => {
      const { waiting, status, faultyRows } = await read();
      // Another data center, with its own limit, may have taken it.
      return (
        waiting?.message ?? (status === 'CHECKED' && faultyRows === rows.length ? 'every row has its fault' : null)
      );
    };
    await expect.poll(waits, { timeout: 20_000 }).toMatch(/too many|every row/i);
    expect(await holderReads()).toBeLessThanOrEqual(2 * READS);
  });
});
