import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetadata, deployContract, newClient, receiverAddress, stack, type Client } from '../fixtures/client.ts';
import { recordedBodies, setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { startOtherWorker, type OtherWorker } from '../fixtures/other-worker.ts';

let client: Client;
let contractAddress: string;
let worker: OtherWorker;

beforeAll(async () => {
  client = await newClient();
  ({ contractAddress } = await deployContract(client));
  worker = await startOtherWorker();
});
afterAll(() => worker.stop());

/**
 * The requests that the Worker made to the database to accept orders, without those of a driver, which follow its
 * claim, and its counts.
 */
async function roundTrips(path: string, body: unknown): Promise<string[]> {
  // The account is known from then on.
  await worker.post(client, '/minting/order', {});
  await setFaults(worker.database, [{ match: '', effect: 'record', times: 1_000 }], 'acceptance');
  const reply = await worker.post(client, path, body);
  expect([reply.status, reply.body.refused ?? 0]).toEqual([path.endsWith('batch') ? 200 : 201, 0]);
  const recorded = await recordedBodies(worker.database, 'acceptance');
  const asked = recorded.filter((text) => !text.includes(statementTagged('store-tallies')));
  const driven = asked.findIndex((text) => text.includes(statementTagged('claim-transactions')));
  return driven < 0 ? asked : asked.slice(0, driven);
}

const order = async (tokenId: number) => ({
  chainId: '43114',
  contractAddress,
  receiverAddress,
  tokenId: String(tokenId),
  metadataId: await createMetadata(client),
});

describe('the acceptance of mints', () => {
  it('takes two round trips to the database, for one order as for a hundred, the second for all that is stored', async () => {
    const [, stored = '', ...more] = await roundTrips('/minting/order', await order(1));
    expect(more).toEqual([]);
    for (const part of [statementTagged('accept-unlimited'), statementTagged('record-change')]) {
      expect(stored).toContain(part);
    }
    const orders = await Promise.all(Array.from({ length: 100 }, (_, index) => order(index + 2)));
    expect(await roundTrips('/minting/orders/batch', { orders })).toHaveLength(2);
  });

  it('goes on when the caller hangs up between its steps, and the order is carried out at once', async () => {
    const reading = [{ match: 'find-idempotency-key', effect: 'stall', times: 1, milliseconds: 1_000 }] as const;
    await setFaults(worker.database, reading, 'acceptance');
    const headers = {
      'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      'x-corporate-id': client.account.corporateId,
      'content-type': 'application/json',
      'idempotency-key': 'hung-up',
    };
    const body = JSON.stringify(await order(200));
    const hangUp = worker.send('/minting/order', { method: 'POST', headers, body });
    await expect.poll(() => recordedBodies(worker.database, 'acceptance')).toHaveLength(1);
    hangUp();
    // Nothing else wakes its lane: these tests run the cleanup job only when they say so.
    await expect
      .poll(async () => (await client.get('/minting?limit=1')).body.items[0])
      .toMatchObject({ tokenId: '200', status: 'CONFIRMED' });
  });
});
