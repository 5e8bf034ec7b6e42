import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeDeployData, zeroAddress, type Address, type Hex } from 'viem';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { compareDatabase } from '../../cli/compare/compare-database.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { lowerCase, type LowerCaseAddress } from '../../src/core/lower-case.ts';
import { newId } from '../../src/core/record-id.ts';
import { withinLimits } from '../../src/limits/within-limits.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { insertOrders, type NewMintingOrder } from '../../src/orders/mint/minting-orders.store.ts';
import { ordersWith } from '../../src/orders/orders.store.ts';
import { insertReissue } from '../../src/orders/reissue/reissues.store.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { backUpTables, restoreTables } from './backups.ts';
import { finishFinally, startWorld, type Driver, type Hook, type World } from './lane-world.ts';
import { allowErrors } from '../record/service-errors.ts';
import { mintingOrders } from '../../src/orders/order-forms.ts';

allowErrors('block.reorganized');

const FINALITY = 6;
const chainId = '43114';
const holder: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const next: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const tokenUri = 'https://example.com/certificate';
const metadataHash: Hex = `0x${'5e'.repeat(32)}`;
const STANDARDS = ['721', '1155'] as const;
type Standard = (typeof STANDARDS)[number];

let world: World;
const contracts = new Map<Standard, { readonly id: string; readonly address: LowerCaseAddress }>();
let lastToken = 0;

beforeAll(async () => {
  world = await startWorld({ [`FINALITY_${chainId}`]: String(FINALITY) }, true);
  const [rich = zeroAddress] = await world.chain.getAddresses();
  for (const ercStandard of STANDARDS) {
    const args = ['C', 'C', world.wallet, zeroAddress, '', 2] as const;
    const data =
      ercStandard === '721'
        ? encodeDeployData({ ...certificate721, args })
        : encodeDeployData({ ...certificate1155, args });
    const hash = await world.chain.sendTransaction({ account: rich, chain: null, data, gas: 6_000_000n });
    const { contractAddress } = await world.chain.waitForTransactionReceipt({ hash });
    const [id, address] = [newId(), lowerCase(contractAddress ?? '0x')];
    await world.pool.query(
      `insert into contracts (id, corporate_account_id, chain_id, erc_standard, contract_type, status, contract_address)
       values ($1, $2, $3, $4, 'certificate', 'ACTIVE', $5)`,
      [id, world.accountId, chainId, ercStandard, address],
    );
    contracts.set(ercStandard, { id, address });
  }
});
afterAll(() => world.stop());
beforeEach(() => world.chain.setAutomine(true));

const tenant = () => tenantOf(world.driver().services.db, world.accountId);
const accepting = () => ({ ...world.driver().services, db: tenant(), account: { isLimited: true } });

/** A certificate that the holder has, minted and final. */
async function issued(ercStandard: Standard): Promise<NewMintingOrder> {
  const { id: contractId, address: contractAddress } = contracts.get(ercStandard) ?? { id: '', address: zeroAddress };
  const [metadataId, tokenId] = [newId(), String((lastToken += 1))];
  await world.pool.query(
    `insert into metadata (id, corporate_account_id, chain_id, schema_version, standard_fields, metadata_hash)
     values ($1, $2, $3, 'v', '{}', $4)`,
    [metadataId, world.accountId, chainId, metadataHash],
  );
  const now = new Date();
  const order: NewMintingOrder = {
    id: newId(),
    chainId,
    contractId,
    contractAddress,
    ercStandard,
    tokenId,
    amount: 1,
    receiverAddress: holder,
    metadataId,
    tokenUri,
    metadataHash,
    createdAt: now,
  };
  await withinLimits(accepting(), (db) => insertOrders(db, mintKind, world.wallet, [order], now));
  await finishFinally(world, world.driver());
  return order;
}

/** A certificate and the two orders that reissue it. */
interface Reissued {
  readonly certificate: NewMintingOrder;
  /** The id of the revocation. */
  readonly id: string;
  readonly mintId: string;
}

/** @param from Who holds the certificate, as the request says. */
async function reissue(certificate: NewMintingOrder, from = holder): Promise<Reissued> {
  const [id, mintId, now] = [newId(), newId(), new Date()];
  const { contractId, contractAddress, ercStandard, tokenId, amount } = certificate;
  const token = { chainId, contractId, contractAddress, ercStandard, tokenId, amount };
  const revocation = { id, ...token, from, reason: 'Lost', createdAt: now };
  const news = { order: revocation, transaction: { walletAddress: world.wallet }, same: { tokenId } };
  const mint = { ...certificate, id: mintId, receiverAddress: next, createdAt: now };
  await withinLimits(accepting(), (db) => insertReissue(db, world.wallet, news, mint, now));
  return { certificate, id, mintId };
}

async function balanceOf({ ercStandard, contractAddress, tokenId }: NewMintingOrder, who: Address): Promise<bigint> {
  const token = { address: contractAddress, args: [who, BigInt(tokenId)] } as const;
  if (ercStandard === '1155') {
    return await world.chain.readContract({ ...certificate1155, ...token, functionName: 'balanceOf' });
  }
  const args = [BigInt(tokenId)] as const;
  const call = { ...certificate721, address: contractAddress, functionName: 'ownerOf', args } as const;
  return (await world.chain.readContract(call)) === who ? 1n : 0n;
}
const stateOf = async (id: string) => String((await world.order(id))['state']);
const isSigned = async (id: string) => (await stateOf(id)) === 'signed';
async function eventsOf(id: string): Promise<string[]> {
  const query = 'select type from webhook_events where related_order_id = $1 order by id';
  const { rows } = await world.pool.query<{ type: string }>(query, [id]);
  return rows.map(({ type }) => type);
}

async function expectReissuedOnce({ certificate, id, mintId }: Reissued): Promise<void> {
  expect([await stateOf(id), await stateOf(mintId)]).toEqual(['confirmed', 'confirmed']);
  expect([await balanceOf(certificate, holder), await balanceOf(certificate, next)]).toEqual([0n, 1n]);
  expect(await placeOf(mintId)).toBeGreaterThan(await placeOf(id));
}

/** Where on the chain an order is: two that are sent together may be in one block. */
async function placeOf(id: string): Promise<number> {
  const { tx_hash: hash, block_number: block } = await world.order(id);
  const { blockNumber, transactionIndex } = await world.chain.getTransactionReceipt({ hash: String(hash) as Hex });
  expect(blockNumber).toBe(BigInt(String(block)));
  return Number(blockNumber) * 1_000 + transactionIndex;
}

async function expectNotMinted({ certificate, mintId }: Reissued): Promise<void> {
  expect(await stateOf(mintId)).toBe('cancelled');
  expect(await eventsOf(mintId)).toEqual(['mint.cancelled']);
  expect([await balanceOf(certificate, next), await world.attempts(mintId)]).toEqual([0n, []]);
}

const requestCancel = (id: string) =>
  world.pool.query(
    'update orders set cancel_requested_at = now(), next_try_at = now(), version = version + 1 where order_id = $1',
    [id],
  );

/** Stops the mint of a reissue between its claim and its signature, and reopens its revocation meanwhile. */
async function reopened(standard: Standard): Promise<{ readonly reissued: Reissued; readonly driver: Driver }> {
  const reissued = await reissue(await issued(standard));
  const snapshot = await world.chain.snapshot();
  const driver = world.driver();
  let isReorganized = false;
  const late = world.driver(async ({ body }, proceed) => {
    const isClaimed = (await world.order(reissued.mintId))['claimed_at'] !== null;
    if (isClaimed && !isReorganized && body.includes('store-attempts')) {
      isReorganized = true;
      await world.chain.revert({ id: snapshot });
      await world.chain.mine({ blocks: 2 * FINALITY });
      await world.chain.setAutomine(false);
      await driver.until(() => isSigned(reissued.id));
    }
    return await proceed();
  });
  await late.until(() => Promise.resolve(isReorganized));
  return { reissued, driver };
}

/** Reorganizes the revocation of a reissue out while its mint is estimated. @param hook Sees each request. */
async function triedOnBranch(
  hook: Hook = (_, proceed) => proceed(),
): Promise<{ readonly reissued: Reissued; readonly driver: Driver }> {
  const reissued = await reissue(await issued('721'));
  const snapshot = await world.chain.snapshot();
  let isReorganized = false;
  const driver = world.driver(async (request, proceed) => {
    const isMint = request.body.includes('eth_estimateGas') && (await stateOf(reissued.id)) === 'confirmed';
    if (isMint && !isReorganized) {
      isReorganized = true;
      await world.chain.revert({ id: snapshot });
      await world.chain.mine({ blocks: 2 });
    }
    return await hook(request, proceed);
  });
  await driver.until(() => Promise.resolve(isReorganized));
  return { reissued, driver };
}

describe('the mint of a reissue', () => {
  it('waits until its revocation is confirmed, whoever drives the lane, and says so', async () => {
    const certificates = [];
    for (const standard of [...STANDARDS, ...STANDARDS]) certificates.push(await issued(standard));
    await world.chain.setAutomine(false);
    const reissued = await Promise.all(certificates.map((certificate) => reissue(certificate)));
    const drivers = [1, 2, 3, 4].map(() => world.driver());
    const areSigned = async () => (await Promise.all(reissued.map(({ id }) => isSigned(id)))).every(Boolean);
    await Promise.all(drivers.map((driver) => driver.until(areSigned)));
    for (let runs = 0; runs < 3; runs += 1) await Promise.all(drivers.map((driver) => driver.run()));
    const mintIds = reissued.map(({ mintId }) => mintId);
    for (const id of mintIds) {
      expect(await world.order(id)).toMatchObject({ state: 'waiting', claimed_at: null, bundle_id: null });
    }
    const orders = await ordersWith(tenant(), mintingOrders, [mintKind], mintIds);
    const holds = new Map(orders.map(({ id, progress }) => [id, progress?.hold]));
    for (const { id, mintId } of reissued) {
      const detail = `Order ${id}, which it follows, is not CONFIRMED`;
      expect(holds.get(mintId)).toMatchObject({ reason: 'earlier-request', detail });
    }
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await Promise.all(drivers.map((driver) => driver.finish()));
    for (const each of reissued) {
      await expectReissuedOnce(each);
      const { not_before_block: notBefore } = await world.order(each.mintId);
      expect(notBefore).toBe((await world.order(each.id))['block_number']);
    }
    expect(
      (await ordersWith(tenant(), mintingOrders, [mintKind], mintIds)).every(({ progress }) => progress?.hold === null),
    ).toBe(true);
  });

  it('is cancelled if its revocation fails', async () => {
    const reissued = await reissue(await issued('1155'), next);
    await world.driver().finish();
    expect(await stateOf(reissued.id)).toBe('failed');
    await expectNotMinted(reissued);
  });

  it.each(['unsigned', 'signed'])('is cancelled if its revocation is, %s', async (when) => {
    const reissued = await reissue(await issued('1155'));
    const driver = world.driver();
    if (when === 'signed') {
      await world.chain.setAutomine(false);
      await driver.until(() => isSigned(reissued.id));
      await requestCancel(reissued.id);
      await driver.until(async () => (await world.attempts(reissued.id)).some(({ purpose }) => purpose === 'cancel'));
      await finishFinally(world, driver);
    } else {
      await requestCancel(reissued.id);
      await driver.finish();
    }
    expect(await stateOf(reissued.id)).toBe('cancelled');
    await expectNotMinted(reissued);
  });

  it('can be cancelled alone: then the certificate is revoked, and not minted', async () => {
    const reissued = await reissue(await issued('721'));
    await requestCancel(reissued.mintId);
    await world.driver().finish();
    expect(await stateOf(reissued.id)).toBe('confirmed');
    expect(await stateOf(reissued.mintId)).toBe('cancelled');
    expect(await world.attempts(reissued.mintId)).toEqual([]);
  });
});

describe('a reorganization', () => {
  it.each(STANDARDS)('of both: each is executed once. ERC-%s', async (standard) => {
    const reissued = await reissue(await issued(standard));
    const snapshot = await world.chain.snapshot();
    const driver = world.driver();
    await driver.finish();
    await world.chain.revert({ id: snapshot });
    await world.chain.mine({ blocks: FINALITY + 3 });
    await driver.until(async () => (await world.order(reissued.mintId))['endings'] === 2);
    await driver.finish();
    await expectReissuedOnce(reissued);
    expect((await world.order(reissued.id))['endings']).toBe(2);
  });

  it.each(STANDARDS)(
    'of the revocation: what is not signed waits again, also if it was claimed. ERC-%s',
    async (standard) => {
      const { reissued, driver } = await reopened(standard);
      await world.makeDue();
      for (let runs = 0; runs < 3; runs += 1) await driver.run();
      expect(await stateOf(reissued.mintId)).toBe('waiting');
      expect(await world.attempts(reissued.mintId)).toEqual([]);
      await finishFinally(world, driver);
      await expectReissuedOnce(reissued);
    },
  );

  it('of the revocation, which the mint is tried on: it is not refused for what the branch lacks', async () => {
    const { reissued, driver } = await triedOnBranch();
    await world.makeDue();
    await driver.run();
    expect(await world.order(reissued.mintId)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    await finishFinally(world, driver);
    await expectReissuedOnce(reissued);
  });

  it('of the revocation, which no node shows when its height is final: the mint is not refused before', async () => {
    let unread = '';
    const { reissued, driver } = await triedOnBranch(async ({ body }, proceed) =>
      unread !== '' && body.includes('eth_getBlockByNumber') && body.includes(unread)
        ? Response.json({}, { status: 503 })
        : await proceed(),
    );
    expect(await world.order(reissued.mintId)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    // The block that had the revocation cannot be read for a moment.
    unread = `"0x${Number((await world.order(reissued.id))['block_number']).toString(16)}"`;
    await world.chain.mine({ blocks: FINALITY });
    await world.makeDue();
    await driver.run();
    unread = '';
    expect(await world.order(reissued.mintId)).toMatchObject({ state: 'waiting', error_message: null });
    await finishFinally(world, driver);
    await expectReissuedOnce(reissued);
  });

  it('of the revocation, which is cancelled then: nothing is minted', async () => {
    const { reissued, driver } = await reopened('1155');
    await requestCancel(reissued.id);
    await driver.until(async () => (await world.attempts(reissued.id)).some(({ purpose }) => purpose === 'cancel'));
    await finishFinally(world, driver);
    expect(await stateOf(reissued.id)).toBe('cancelled');
    await expectNotMinted(reissued);
  });
});

const TABLES = ['orders', 'attempts', 'lanes', 'webhook_events', 'webhook_deliveries'] as const;

async function adopt(): Promise<void> {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, chains } = world.driver().context.services.settings;
  const [url = ''] = chains.get(chainId)?.rpcUrls ?? [];
  const rpcUrls = new Map([[chainDefinition(chainId), [url]]]);
  const { adopted } = await compareDatabase({
    DATABASE_URL,
    NEON_FETCH_ENDPOINT,
    rpcUrls,
    since: new Date(0),
    adopt: true,
  });
  expect(adopted).toBe(true);
}

describe('a restored database', () => {
  it.each(['accepted', 'revoked'])('adopts both if the backup is from when it was %s', async (when) => {
    const reissued = await reissue(await issued('1155'));
    const driver = world.driver();
    if (when === 'revoked') await driver.until(async () => (await stateOf(reissued.id)) === 'confirmed');
    await backUpTables(world.pool, TABLES);
    await finishFinally(world, driver);
    await expectReissuedOnce(reissued);
    await restoreTables(world.pool, TABLES);
    await adopt();
    expect(await stateOf(reissued.mintId)).toBe('signed');
    await world.makeDue();
    await finishFinally(world, world.driver());
    await expectReissuedOnce(reissued);
  });
});
