import { parseGwei, parseTransaction, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { compareDatabase } from '../../cli/compare/compare-database.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { resultOf } from '../../src/chains/rpc-values.ts';
import { startWorld, type World } from './lane-world.ts';

const CHAIN = '43114';

let world: World;
beforeAll(async () => {
  world = await startWorld({}, true);
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.setAutomine(false);
});

/** What a node makes of its reply to a request. */
type Change = (reply: string, request: string) => string;

/** Compares and adopts, with three nodes of which the first ones change their replies. */
function compare({
  change = (reply) => reply,
  liars = 1,
  since,
}: { change?: Change; liars?: number; since?: Date } = {}) {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, chains } = world.driver().context.services.settings;
  const [url] = chains.get(CHAIN)?.rpcUrls ?? [];
  const rpcUrls = new Map([[chainDefinition(CHAIN), [0, 1, 2].map((node) => `${url}/?node=${node}`)]]);
  return world.within(
    async (request, next) => {
      const reply = await next();
      const node = Number(/node=(\d)$/.exec(request.url)?.[1] ?? liars);
      return node < liars ? new Response(change(await reply.text(), request.body), reply) : reply;
    },
    () => compareDatabase({ DATABASE_URL, NEON_FETCH_ENDPOINT, rpcUrls, since, adopt: true }),
  );
}

/** An order that is signed and sent, and not mined, with its bytes. */
interface SentOrder {
  readonly id: string;
  readonly nonce: number;
  readonly hash: Hex;
  readonly raw: Hex;
}

async function sentOrder(): Promise<SentOrder> {
  const [id = ''] = await world.acceptMints(1);
  await world.driver().until(async () => (await world.order(id))['status'] === 'SENT');
  const [attempt] = await world.attempts(id);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns of the database
  const { hash, raw } = attempt as { hash: Hex; raw: Hex };
  return { id, nonce: Number(attempt?.['nonce']), hash, raw };
}

/** Takes back that an order was signed, as a backup from before it does. */
async function forgetSigning(id: string): Promise<void> {
  await world.pool.query('delete from attempts where transaction_id in (select id from orders where order_id = $1)', [
    id,
  ]);
  await world.pool.query(
    "update orders set state = 'waiting', nonce = null, spent_wei = null, spent_at = null, sent_at = null, claimed_at = null where order_id = $1",
    [id],
  );
  await world.pool.query('delete from lanes');
}

/** An order that is waiting in the backup, and was mined since. */
async function minedSinceBackup(): Promise<string> {
  const { id } = await sentOrder();
  await world.chain.mine({ blocks: 1 });
  await forgetSigning(id);
  return id;
}

/**
 * An order that is signed in the backup. Its bytes were replaced since: the new ones, which are returned, are in the
 * pool.
 */
async function replacedSinceBackup(): Promise<SentOrder> {
  const order = await sentOrder();
  const { nonce = 0, to, data, gas, maxFeePerGas = 0n } = parseTransaction(order.raw);
  const account = { id: world.accountId, corporateId: 'c', secretManagerKeyId: 'key', walletAddress: world.wallet };
  const signer = await world.driver().context.services.loadSigner(account);
  const serializedTransaction = await signer.signTransaction({
    type: 'eip1559',
    chainId: Number(CHAIN),
    nonce,
    to,
    data,
    gas,
    maxFeePerGas: maxFeePerGas * 2n,
    maxPriorityFeePerGas: parseGwei('1'),
  });
  const hash = await world.chain.sendRawTransaction({ serializedTransaction });
  await world.pool.query('delete from lanes');
  return { ...order, hash, raw: serializedTransaction };
}

/** Lets a driver carry out what the database has. */
async function expectMintedOnce(...ids: string[]): Promise<void> {
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await world.makeDue();
  await world.driver().finish();
  await world.expectMintedOnce(ids);
}

const nothingOpen = { unsettled: [], unexplained: [] };
const matchingOf = (orderId: string) => ({ matches: [{ of: { orderId }, purpose: 'effect' }] });
/** A comparison that adopts one transaction, that of an order. */
const adopting = (orderId: string) => ({
  adopted: true,
  comparisons: [{ ...nothingOpen, matching: matchingOf(orderId) }],
});
/** A comparison that waits for one nonce of the wallet. */
const waitingFor = (nonce: number) => ({
  adopted: false,
  comparisons: [{ unexplained: [], unsettled: [{ wallet: world.wallet.toLowerCase(), from: nonce, to: nonce }] }],
});

it('a chain that is gone is not compared, unless one of its transactions is not final or has changed since', async () => {
  await sentOrder();
  await world.chain.mine({ blocks: 1 });
  await world.pool.query(
    `insert into orders (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, is_final, next_try_at, updated_at)
     values ('gone', 'mint', 'gone', $1, '80002', $2, 'confirmed', true, now(), now() - interval '1 year')`,
    [world.accountId, world.wallet.toLowerCase()],
  );
  expect(await compare({ since: new Date(0) }).catch(String)).toMatch(/must have all chains .*: 80002$/);
  expect(await compare()).toMatchObject({ comparisons: [{ chainId: CHAIN }] });
  for (const open of ["state = 'waiting'", "state = 'signed'", "state = 'confirmed', is_final = false"]) {
    await world.pool.query(`update orders set ${open} where id = 'gone'`);
    await expect(compare()).rejects.toThrow(/must have all chains .*: 80002$/);
  }
  await world.pool.query("delete from orders where id = 'gone'");
});

it('what another deployment has carried out does not say when the database was backed up', async () => {
  const id = await minedSinceBackup();
  await world.chain.mine({ blocks: 1 });
  await world.pool.query(
    `insert into orders (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, is_final, next_try_at, updated_at)
     values ('imported', 'mint', 'imported', $1, $2, '', 'confirmed', true, now(), now() + interval '1 year')`,
    [world.accountId, CHAIN],
  );
  expect(await compare()).toMatchObject(adopting(id));
  await world.pool.query("delete from orders where id = 'imported'");
  await expectMintedOnce(id);
});

it('orders that one transaction has carried out since the backup are adopted together, and are not carried out again', async () => {
  await world.chain.setAutomine(false);
  const ids = await world.acceptMints(3);
  await world.driver().until(async () => (await world.order(ids[2] ?? ''))['status'] === 'SENT');
  await world.chain.mine({ blocks: 1 });
  for (const id of ids) await forgetSigning(id);
  await world.pool.query(
    `with bundles as (delete from orders where kind = 'bundle' and order_id = any($1) returning id)
     update orders set bundle_id = null, bundle_place = null, bundle_size = null where bundle_id in (select id from bundles)`,
    [ids],
  );
  await world.chain.mine({ blocks: 1 });
  const { adopted, comparisons } = await compare();
  expect({ adopted, comparisons }).toMatchObject({ adopted: true, comparisons: [nothingOpen] });
  expect(comparisons[0]?.matching.matches.map(({ of }) => of.orderId).toSorted()).toEqual(ids.toSorted());
  await expectMintedOnce(...ids);
});

it('a signed order whose bytes were replaced is not settled while the new ones are in a pool, and adopted once they are final', async () => {
  const { id, nonce } = await replacedSinceBackup();
  expect(await compare()).toMatchObject(waitingFor(nonce));
  await world.chain.mine({ blocks: 1 });
  expect(await compare()).toMatchObject(adopting(id));
  await expectMintedOnce(id);
});

it('a signed order whose bytes no pool has any more is settled', async () => {
  const { id, hash } = await sentOrder();
  await world.chain.dropTransaction({ hash });
  await world.pool.query('delete from lanes');
  expect(await compare()).toMatchObject({ adopted: true, comparisons: [nothingOpen] });
  await expectMintedOnce(id);
});

it('an order that was signed since with a nonce below those of the backup is not settled while its bytes are in a pool', async () => {
  const [below, above] = [await sentOrder(), await sentOrder()];
  await forgetSigning(below.id);
  await world.chain.dropTransaction({ hash: above.hash });
  expect(await compare()).toMatchObject(waitingFor(below.nonce));
  await world.chain.mine({ blocks: 1 });
  expect(await compare()).toMatchObject(adopting(below.id));
  await expectMintedOnce(below.id, above.id);
});

/** Makes each block 5 MB long. */
const longBlocks: Change = (reply, request) => reply + ' '.repeat((request.split(',true]').length - 1) * 5_000_000);

it('blocks that are together too long for one request are read one by one', async () => {
  const id = await minedSinceBackup();
  const { timestamp } = await world.chain.getBlock();
  await world.chain.mine({ blocks: 8 });
  const since = new Date(Number(timestamp) * 1_000);
  expect(await compare({ change: longBlocks, liars: 2, since })).toMatchObject(adopting(id));
  await expectMintedOnce(id);
});

it('a nonce that was used before the blocks that are read is not explained until they are', async () => {
  const nonce = await world.chain.getTransactionCount({ address: world.wallet });
  await world.useNonceElsewhere();
  await world.chain.mine({ blocks: 2 });
  expect(await compare({ since: new Date(Date.now() + 86_400_000) })).toMatchObject({
    adopted: false,
    comparisons: [{ unsettled: [], unexplained: [{ from: nonce, to: nonce }] }],
  });
  expect(await compare({ since: new Date(0) })).toMatchObject({
    adopted: true,
    comparisons: [{ ...nothingOpen, matching: { unknown: [{ mined: { nonce } }] } }],
  });
});

it('a nonce that an authorization of the wallet has used is explained', async () => {
  await world.chain.setAutomine(true);
  await world.useNonceByAuthorization();
  await world.chain.mine({ blocks: 1 });
  expect(await compare()).toMatchObject({ adopted: true, comparisons: [nothingOpen] });
});

const forgedHashes: Change = (reply) =>
  reply.replaceAll(
    /("hash":"0x[0-9a-f]{63})([0-9a-f])(","blockHash")/g,
    (_, start: string, digit: string, end: string) => `${start}${digit === '0' ? '1' : '0'}${end}`,
  );
const capitals: Change = (reply) => reply.replaceAll(/"0x[0-9a-f]+"/g, (hex) => `"0x${hex.slice(3).toUpperCase()}`);
/** Names the newest block by a number that is too high, and is the only node to do so. */
const highHead: Change = (reply, request) =>
  request.includes('eth_blockNumber') ? reply.replace(/("id":1,"result":"0x)/, '$1ff') : reply;
const hiddenTransactions: Change = (reply) =>
  JSON.stringify(JSON.parse(reply, (key, value: unknown) => (key === 'transactions' ? [] : value)));
const noBodies: Change = (reply, request) =>
  request.includes(',true]')
    ? JSON.stringify(JSON.parse(reply, (key, value: unknown) => (key === 'result' ? null : value)))
    : reply;

it.for([
  ['falsifies the hashes of transactions', forgedHashes],
  ['writes hex in capitals', capitals],
  ['names a newest block that does not exist', highHead],
  ['hides transactions', hiddenTransactions],
  ['returns no block with its transactions', noBodies],
] as const)('one of three nodes that %s does not keep an order from being adopted', async ([, change]) => {
  const id = await minedSinceBackup();
  expect(await compare({ change })).toMatchObject(adopting(id));
  await expectMintedOnce(id);
});

it('one of three nodes does not hide what replaced the bytes of a signed order', async () => {
  const { id } = await replacedSinceBackup();
  await world.chain.mine({ blocks: 1 });
  expect(await compare({ change: hiddenTransactions })).toMatchObject(adopting(id));
  await expectMintedOnce(id);
});

it('a transaction that one of three nodes shows in a block and that is only in a pool is not settled, and hides no other one', async () => {
  const id = await minedSinceBackup();
  const { nonce, hash } = await replacedSinceBackup();
  const { rpc } = world.driver().context.chain;
  const [reply] = await rpc.request([{ method: 'eth_getTransactionByHash', params: [hash] }]);
  const shown = resultOf(reply);
  const change: Change = (text, request) =>
    request.includes(',true]')
      ? JSON.stringify(
          JSON.parse(text, (key, value: unknown) => (key === 'transactions' ? [value, shown].flat() : value)),
        )
      : text;
  const early = await compare({ change });
  expect(early).toMatchObject(waitingFor(nonce));
  expect(early).toMatchObject({ comparisons: [{ matching: matchingOf(id) }] });
  await world.chain.mine({ blocks: 1 });
});

it('a block that two of three nodes do not return fails the comparison', async () => {
  await expect(compare({ change: noBodies, liars: 2 })).rejects.toThrow(
    /^No more than half of the 3 nodes of chain 43114 return block \d+ alike$/,
  );
});
