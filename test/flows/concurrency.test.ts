import { Client as Postgres } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Hex } from 'viem';
import { chainClient, createMetadata, deployContract, newClient, stack } from '../fixtures/client.ts';
import type { Client } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';

const receiverAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Orders `count` mints at once, with token ids from 1. @returns the replies. */
async function orderMints(client: Client, chainId: string, contractAddress: string, count: number) {
  const metadata = await Promise.all(Array.from({ length: count }, () => createMetadata(client, { chainId })));
  return await Promise.all(
    metadata.map((metadataId, index) =>
      client.post('/minting/order', {
        chainId,
        contractAddress,
        receiverAddress,
        tokenId: String(index + 1),
        metadataId,
      }),
    ),
  );
}

async function noncesOf(client: Client, chainId: string): Promise<number[]> {
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  const { rows } = await database.query<{ nonce: string }>(
    'select nonce from transactions where wallet_address = $1 and chain_id = $2 order by nonce',
    [client.account.walletAddress, chainId],
  );
  await database.end();
  return rows.map(({ nonce }) => Number(nonce));
}

describe('many orders at once', () => {
  it('confirms 100 mints of one wallet, with 100 nonces in a row', async () => {
    const client = await newClient();
    const contract = await deployContract(client);
    const orders = await orderMints(client, '43114', contract.contractAddress, 100);
    expect(orders.map(({ status }) => status)).toEqual(Array(100).fill(201));
    const done = await Promise.all(
      orders.map(({ body }) => client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED'])),
    );
    expect(done.map(({ status, errorMessage }) => ({ status, errorMessage }))).toEqual(
      Array(100).fill({ status: 'CONFIRMED', errorMessage: null }),
    );
    const chain = chainClient();
    const transactions = await Promise.all(
      done.map(({ txHash }) => chain.getTransaction({ hash: txHash as Hex })),
    );
    const minted = transactions.map(({ nonce }) => nonce).toSorted((a, b) => a - b);
    // Nonce 0 deployed the contract.
    expect(minted).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(await chain.getTransactionCount({ address: client.account.walletAddress })).toBe(101);
    expect(await noncesOf(client, '43114')).toEqual(Array.from({ length: 101 }, (_, index) => index));
  });
});

describe('a chain that does not answer', () => {
  let stuck: Client;
  let free: Client;
  beforeAll(async () => {
    [stuck, free] = await Promise.all([newClient(), newClient()]);
  });

  it('does not hold up another chain, nor does one wallet hold up another', async () => {
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
