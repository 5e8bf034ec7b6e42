import { Client as Postgres } from 'pg';
import { describe, expect, it } from 'vitest';
import type { Hex } from 'viem';
import { call, chainClient, deployContract, newClient, orderMints, stack, type Client } from '../fixtures/client.ts';

async function noncesOf(client: Client, chainId: string): Promise<number[]> {
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  const { rows } = await database.query<{ nonce: string }>(
    'select nonce from orders where wallet_address = $1 and chain_id = $2 and bundle_id is null order by nonce',
    [client.account.walletAddress.toLowerCase(), chainId],
  );
  await database.end();
  return rows.map(({ nonce }) => Number(nonce));
}

describe('many concurrent orders', () => {
  it('confirms 100 mints of one wallet, in few transactions with consecutive nonces', async () => {
    const client = await newClient();
    const contract = await deployContract(client);
    const orders = await orderMints(client, '43114', contract.contractAddress, 100);
    expect(orders.map(({ status }) => status)).toEqual(Array(100).fill(201));
    const done = await Promise.all(
      orders.map(({ body }) => client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED'])),
    );
    for (const order of done) expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    const chain = chainClient();
    const hashes = [...new Set(done.map(({ txHash }) => txHash as Hex))];
    expect(hashes.length).toBeLessThan(50);
    const transactions = await Promise.all(hashes.map((hash) => chain.getTransaction({ hash })));
    const minted = transactions.map(({ nonce }) => nonce).toSorted((a, b) => a - b);
    // Nonce 0 deployed the contract.
    expect(minted).toEqual(hashes.map((_, index) => index + 1));
    expect(await chain.getTransactionCount({ address: client.account.walletAddress })).toBe(hashes.length + 1);
    expect(await noncesOf(client, '43114')).toEqual(Array.from({ length: hashes.length + 1 }, (_, index) => index));
    const listed = await client.get(`/minting?txHash=${hashes[0]}&limit=100`);
    const ofFirst = done.flatMap(({ txHash, id }) => (txHash === hashes[0] ? [String(id)] : [])).toSorted();
    expect(listed.body.items.map(({ id }: { id: string }) => id).toReversed()).toEqual(ofFirst);
    const first = await client.get(`/minting/by-tx/${hashes[0]}`);
    expect(first.body.id).toBe(ofFirst[0]);
  });
});

describe('concurrent requests', () => {
  it('all succeed, although they read the same from the chain, the database and the cache', async () => {
    const client = await newClient();
    const { contractAddress } = await deployContract(client);
    const read = { chainId: '43114', contractAddress, method: 'owner' };
    const replies = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        if (index % 4 === 0) return (await client.get('/contracts?limit=1')).status;
        if (index % 4 === 1) return (await call(`/metadata/${contractAddress}/1`)).status;
        return (await client.post('/contracts/read', read)).status;
      }),
    );
    expect(replies).toEqual(replies.map((_, index) => (index % 4 === 1 ? 404 : 200)));
  });
});
