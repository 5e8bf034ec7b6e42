import { setTimeout as delay } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  orderMints,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults, statementTagged, type Fault } from '../fixtures/fault-proxy.ts';
import { transactionState } from '../fixtures/transaction-state.ts';
import { useNonceElsewhere } from '../fixtures/use-nonce-elsewhere.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('lane.store_failed', 'lane.settle_failed');

// These flows disturb the traffic to chain 43113, which other files use little, and statements of their own lane.
const chainId = '43113';
const ORDERS = 8;

const STORE_SIGNED_BYTES = statementTagged('store-attempts');
const SETTLE = statementTagged('end-transactions');

let client: Client;
/** Most orders are of the first one, and share a transaction; the last one is of the other. */
let contracts: readonly `0x${string}`[];
let nextToken = 1;

beforeAll(async () => {
  client = await newClient();
  const deployed = [await deployContract(client, { chainId }), await deployContract(client, { chainId })];
  contracts = deployed.map(({ contractAddress }) => contractAddress);
});

afterEach(async () => {
  await setFaults(stack.proxies[chainId], []);
  await setFaults(stack.proxies.database, []);
});

const onChain = (faults: Fault[]) => setFaults(stack.proxies[chainId], faults);
/** Other files' lanes make the same statements, and get no fault. */
const onDatabase = (statement: string, effect: Fault['effect']) =>
  setFaults(stack.proxies.database, [
    { match: [statement, client.account.walletAddress.toLowerCase()], effect, times: 2 },
  ]);

/** Posts orders while a fault is active, and checks that each is eventually executed exactly once. */
async function expectExactlyOnce(injectFault: () => Promise<void>) {
  const chain = chainClient(chainId);
  const before = await chain.getTransactionCount({ address: client.account.walletAddress });
  const metadata = await Promise.all(Array.from({ length: ORDERS }, () => createMetadata(client, { chainId })));
  await injectFault();
  const mints = metadata.map((metadataId, index) => ({
    chainId,
    contractAddress: contracts[index === ORDERS - 1 ? 1 : 0],
    receiverAddress,
    tokenId: String(nextToken + index),
    metadataId,
  }));
  nextToken += ORDERS;
  // Concurrently, so that the node gets their calls in batches.
  const { body } = await client.post('/minting/orders/batch', { orders: mints });
  expect(body).toMatchObject({ accepted: ORDERS, refused: 0 });
  const orders: { id: string; tokenId: string; contractAddress: `0x${string}` }[] = body.results.map(
    ({ order }: { order: never }) => order,
  );
  const hashes = new Set<unknown>();
  for (const { id, tokenId, contractAddress } of orders) {
    const order = await client.until(`/minting/${id}`, ['CONFIRMED', 'FAILED']);
    expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    hashes.add(order['txHash']);
    const owner = await chain.readContract({
      ...standard721,
      address: contractAddress,
      functionName: 'ownerOf',
      args: [BigInt(tokenId)],
    });
    expect(owner).toBe(receiverAddress);
  }
  const after = await chain.getTransactionCount({ address: client.account.walletAddress });
  expect(after - before).toBe(hashes.size);
}

async function mineAgainAfter(milliseconds: number): Promise<void> {
  await delay(milliseconds);
  const chain = chainClient(chainId);
  await chain.request({ method: 'evm_setAutomine', params: [true] } as never);
  await chain.request({ method: 'evm_mine', params: [] } as never);
}

describe('each order is executed exactly once', () => {
  // First: a node that stalls makes batches small, and this needs two receipts in one.
  it('when a node returns the receipts of other transactions', async () =>
    expectExactlyOnce(() => onChain([{ match: 'eth_getTransactionReceipt', effect: 'mix-receipts', times: 8 }])));

  it('when the reply to a broadcast is lost after the node accepted it', () =>
    expectExactlyOnce(() => onChain([{ match: 'eth_sendRawTransaction', effect: 'lose-reply', times: 3 }])));

  it('when the node rejects the request of a broadcast', () =>
    expectExactlyOnce(() => onChain([{ match: 'eth_sendRawTransaction', effect: 'refuse', times: 2 }])));

  it('when the reply to a broadcast is lost and the transactions wait in the mempool', () =>
    expectExactlyOnce(async () => {
      const chain = chainClient(chainId);
      await chain.request({ method: 'evm_setAutomine', params: [false] } as never);
      await onChain([{ match: 'eth_sendRawTransaction', effect: 'lose-reply', times: 4 }]);
      void mineAgainAfter(8_000);
    }));

  it('when the node takes longer than the service waits', () =>
    expectExactlyOnce(() =>
      onChain([{ match: 'eth_sendRawTransaction', effect: 'stall', times: 1, milliseconds: 7_000 }]),
    ));

  it('when receipts cannot be read', () =>
    expectExactlyOnce(() => onChain([{ match: 'eth_getTransactionReceipt', effect: 'refuse', times: 3 }])));

  it('when a node counts a nonce as used before it serves the receipt', () =>
    expectExactlyOnce(() => onChain([{ match: 'eth_getTransactionReceipt', effect: 'hide-receipts', times: 8 }])));

  it('when a node omits a response from a batch', async () =>
    expectExactlyOnce(() => onChain([{ match: 'eth_', effect: 'drop-response', times: 8 }])));

  it('when estimates fail', () =>
    expectExactlyOnce(() => onChain([{ match: 'eth_estimateGas', effect: 'lose-reply', times: 2 }])));

  it('when the reply to storing the signed bytes is lost', () =>
    expectExactlyOnce(() => onDatabase(STORE_SIGNED_BYTES, 'lose-reply')));

  it('when the signed bytes cannot be stored', () => expectExactlyOnce(() => onDatabase(STORE_SIGNED_BYTES, 'refuse')));

  it('when the reply to the settle is lost', () => expectExactlyOnce(() => onDatabase(SETTLE, 'lose-reply')));

  it('when the settle cannot be written', () => expectExactlyOnce(() => onDatabase(SETTLE, 'refuse')));

  it('when a queue message arrives twice, and again after completion', async () => {
    await expectExactlyOnce(async () => {});
    await cleanUpAfter(15);
    await expectExactlyOnce(() => cleanUpAfter(15));
  });

  it('when another transaction of the wallet uses the nonce of a signed one', async () => {
    // Refused at the proxy: the bytes are signed and stored but do not reach the chain.
    const chain = chainClient(chainId);
    const { walletAddress } = client.account;
    const metadataId = await createMetadata(client, { chainId });
    const tokenId = String(nextToken);
    nextToken += 1;
    await onChain([{ match: 'eth_sendRawTransaction', effect: 'refuse', times: 1_000 }]);
    const { body } = await client.post('/minting/order', {
      chainId,
      contractAddress: contracts[0],
      receiverAddress,
      tokenId,
      metadataId,
    });
    const nonce = await chain.getTransactionCount({ address: walletAddress });
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await expect.poll(() => transactionState(body.id)).toBe('signed');
    await useNonceElsewhere(client.account, chainId);
    expect(await chain.getTransactionCount({ address: walletAddress })).toBe(nonce + 1);
    await onChain([]);
    const order = await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED']);
    expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    expect(await chain.getTransactionCount({ address: walletAddress })).toBe(nonce + 2);
    const { rows } = await database.query(
      'select t.nonce, (select count(*)::int from attempts where transaction_id = t.id) as attempts from orders t where order_id = $1',
      [body.id],
    );
    expect(rows).toEqual([{ nonce: String(nonce + 1), attempts: 2 }]);
    await database.end();
  });
});

describe('a chain that does not respond', () => {
  let stuck: Client;
  let free: Client;
  beforeAll(async () => {
    [stuck, free] = await Promise.all([newClient(), newClient()]);
  });

  it('does not delay another chain, nor does one wallet delay another', async () => {
    const [onMainnet, onTestnet] = await Promise.all([
      deployContract(free, { chainId: '43114' }),
      deployContract(stuck, { chainId: '43113' }),
    ]);
    await setFaults(stack.proxies['43113'], [{ match: 'eth_', effect: 'refuse', times: 1_000_000 }]);
    try {
      const waiting = await orderMints(stuck, '43113', onTestnet.contractAddress, 3);
      const orders = await orderMints(free, '43114', onMainnet.contractAddress, 3);
      for (const { body } of orders) await free.until(`/minting/${body.id}`, ['CONFIRMED']);
      for (const { body } of waiting) {
        const { body: order } = await stuck.get(`/minting/${body.id}`);
        expect(['PENDING', 'PROCESSING']).toContain(order.status);
      }
      await setFaults(stack.proxies['43113'], []);
      for (const { body } of waiting) await stuck.until(`/minting/${body.id}`, ['CONFIRMED']);
    } finally {
      await setFaults(stack.proxies['43113'], []);
    }
  });
});
