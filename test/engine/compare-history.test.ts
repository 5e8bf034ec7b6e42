import { parseEther, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compareDatabase } from '../../cli/compare/compare-database.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { lowerCase } from '../../src/core/lower-case.ts';
import { newId } from '../../src/core/record-id.ts';
import { startWorld, type World } from './lane-world.ts';

const CHAIN = '43114';
const MINUTE_MS = 60_000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Compares and adopts. @param minutesAgo How far back blocks are read, by the chain's clock. */
async function compare(minutesAgo: number, finality = 1) {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, chains } = world.driver().context.services.settings;
  const [url = ''] = chains.get(CHAIN)?.rpcUrls ?? [];
  const rpcUrls = new Map([[{ ...chainDefinition(CHAIN), finality }, [url]]]);
  const { timestamp } = await world.chain.getBlock();
  const since = new Date(Number(timestamp) * 1_000 - minutesAgo * MINUTE_MS);
  return await compareDatabase({ DATABASE_URL, NEON_FETCH_ENDPOINT, rpcUrls, since, adopt: true });
}

interface UsedWallet {
  readonly account: PrivateKeyAccount;
  /** Lower case. */
  readonly wallet: Address;
}

/** The wallet of an account with nothing but that, which was used an hour before what is compared. */
async function usedWallet(): Promise<UsedWallet> {
  const account = privateKeyToAccount(generatePrivateKey());
  await world.chain.setBalance({ address: account.address, value: parseEther('1') });
  for (let nonce = 0; nonce < 3; nonce += 1) await use(account, nonce);
  await world.pool.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ($1, $1, 'Other', 'other', $2)`,
    [newId(), account.address],
  );
  await world.chain.increaseTime({ seconds: 3_600 });
  await world.chain.mine({ blocks: 5 });
  return { account, wallet: lowerCase(account.address) };
}

async function use(wallet: PrivateKeyAccount, nonce: number): Promise<void> {
  const fees = await world.chain.estimateFeesPerGas();
  const fields = { type: 'eip1559', chainId: Number(CHAIN), nonce, to: wallet.address, gas: 21_000n, ...fees } as const;
  await world.chain.sendRawTransaction({ serializedTransaction: await wallet.signTransaction(fields) });
}

/** An order of the account that was mined since the backup. */
async function minedSinceBackup(): Promise<string> {
  const [id = ''] = await world.acceptMints(1);
  await world.driver().until(async () => (await world.order(id))['status'] === 'CONFIRMED');
  await world.pool.query('delete from attempts');
  await world.pool.query(
    `update orders set state = 'waiting', nonce = null, spent_wei = null, spent_at = null, sent_at = null, claimed_at = null, tx_hash = null,
       block_number = null, block_hash = null, is_final = false where order_id = $1`,
    [id],
  );
  await world.pool.query('delete from lanes');
  return id;
}

/** An order of a wallet, which no driver has looked at. @param chainMinutes When it was accepted, by the chain's clock. */
async function orderOf(wallet: Address, chainMinutes: number): Promise<void> {
  const { timestamp } = await world.chain.getBlock();
  const [id = ''] = await world.acceptMints(1);
  await world.pool.query('update orders set wallet_address = $1, created_at = $2 where order_id = $3', [
    wallet,
    new Date(Number(timestamp) * 1_000 + chainMinutes * MINUTE_MS),
    id,
  ]);
}

it('a wallet that was used before it had orders keeps those of no account from being adopted', async () => {
  const idle = await usedWallet();
  const late = await usedWallet();
  const id = await minedSinceBackup();
  const { adopted, comparisons } = await compare(10);
  expect({ adopted, comparisons }).toMatchObject({ adopted: true, comparisons: [{ unexplained: [] }] });
  await world.makeDue();
  await world.driver().finish();
  await world.expectMintedOnce([id]);
  expect(idle).not.toBe(late);
});

it('a wallet that was used before its only orders were accepted is explained once the blocks since then are read', async () => {
  const { wallet } = await usedWallet();
  await world.pool.query('delete from lanes where wallet_address = $1', [wallet]);
  await orderOf(wallet, 0);
  const all = [{ wallet, from: 0, to: 2 }];
  expect(await compare(5)).toMatchObject({ adopted: false, comparisons: [{ unexplained: all }] });
  expect(await compare(10)).toMatchObject({ adopted: true, comparisons: [{ unexplained: [] }] });
});

it('what a lane has observed before the backup is explained', async () => {
  const { wallet } = await usedWallet();
  await orderOf(wallet, 0);
  await world.pool.query('update lanes set floor = 0, observations = $1 where wallet_address = $2', [
    '[[1, 3]]',
    wallet,
  ]);
  await world.pool.query(
    "insert into lanes (chain_id, wallet_address, observations) values ($1, $2, '[[1, 3]]') on conflict do nothing",
    [CHAIN, wallet],
  );
  expect(await compare(5)).toMatchObject({ adopted: true, comparisons: [{ unexplained: [] }] });
});

/** A wallet whose only order was signed after the backup. It is in a pool. */
async function pooled(): Promise<Address> {
  const { account, wallet } = await usedWallet();
  await world.pool.query('delete from lanes where wallet_address = $1', [wallet]);
  await orderOf(wallet, 5);
  await world.chain.setAutomine(false);
  await use(account, 3);
  return wallet;
}

/** A comparison that waits for it. */
const waitingFor = (wallet: Address) => ({
  adopted: false,
  comparisons: [{ unsettled: [{ wallet, from: 3, to: 3 }], unexplained: [] }],
});
const settled = { adopted: true, comparisons: [{ unsettled: [], unexplained: [] }] };

describe('the only order of a wallet, which was signed after the backup, is not settled', () => {
  beforeEach(async () => {
    await world.chain.setAutomine(true);
    await world.pool.query("delete from orders where state = 'waiting'");
  });

  it('while its bytes are in a pool', async () => {
    const wallet = await pooled();
    expect(await compare(10)).toMatchObject(waitingFor(wallet));
    await world.chain.mine({ blocks: 1 });
    expect(await compare(10)).toMatchObject(settled);
  });

  it('while its block is not final', async () => {
    const wallet = await pooled();
    await world.chain.mine({ blocks: 4 });
    expect(await compare(10, 5)).toMatchObject(waitingFor(wallet));
    await world.chain.mine({ blocks: 1 });
    expect(await compare(10, 5)).toMatchObject(settled);
  });

  it('by a block that is made while the chain is read', async () => {
    const wallet = await pooled();
    let isMined = false;
    const compared = await world.within(
      async ({ body }, next) => {
        const reply = await next();
        if (!isMined && body.includes(',true]')) {
          isMined = true;
          await world.chain.mine({ blocks: 1 });
        }
        return reply;
      },
      () => compare(10),
    );
    expect(isMined).toBe(true);
    expect(compared).toMatchObject(waitingFor(wallet));
    expect(await compare(10)).toMatchObject(settled);
  });
});
