import {
  decodeEventLog,
  decodeFunctionData,
  encodeFunctionData,
  formatEther,
  parseEther,
  toEventSelector,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { NOTICES } from '../../src/webhooks/notices.ts';
import { CERTIFICATES, HELD_TOKENS, HELD_UNITS, type Customer } from './customer.ts';
import { withdrawalOf, type Accepted } from './customers.ts';
import { Violation } from './violation.ts';
import type { EventLog } from './world/chain/call.ts';
import type { Mined } from './world/chain/transaction.ts';
import type { Change, Lost } from './world/database.ts';
import type { Service } from './world/faults.ts';
import type { World } from './world/world.ts';

const METADATA_UPDATE = toEventSelector('MetadataUpdate(uint256)');
const BASE_UPDATE = toEventSelector('BatchMetadataUpdate(uint256,uint256)');
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const REVOKED = toEventSelector('CertificateRevoked(uint256,address,address,uint256)');
const EXECUTED = toEventSelector('Executed(address,address,uint256,bool,bytes)');

type Row = Record<string, string | null>;

/** The kind of ownership transfers. One that follows a deployment has the deployment's id, and events of its own. */
const OWNERSHIP = 'ownership-transfer';
const BASE_URI = 'base-uri';

const ENDS = new Set(['CONFIRMED', 'FAILED', 'CANCELLED', 'ACTIVE']);

/**
 * More identical calls than this within {@link PACE_MS} are a retry without a pause: about half as many as a loop makes
 * that only waits for replies.
 */
const MAX_CALLS: Readonly<Record<Service, number>> = {
  database: 300,
  object: 300,
  chain: 400,
  queue: 200,
  secrets: 100,
  rates: 30,
  webhook: 20,
  client: 300,
};
const PACE_MS = 10_000;

/** What must not be signed. */
interface Stopped {
  /** Ids of accounts, and `chain`. */
  readonly paused: ReadonlySet<string>;
  /** Orders whose cancellation or refusal was accepted; see {@link withdrawalOf}. */
  readonly withdrawn: ReadonlySet<string>;
}

/** Checks the invariants that must hold after every step. */
export class StepInvariants {
  readonly #world: World;
  readonly #customers: readonly Customer[];
  readonly #calls = new Map<string, number>();
  #callsSince = 0;
  readonly #stopped: Stopped;
  #blocksChecked = 0;
  #conflictsExpected = Infinity;
  /** By instance of an object, the epoch in which it has written. */
  readonly #epochs = new Map<string, string>();

  constructor(world: World, customers: readonly Customer[], stopped: Stopped) {
    this.#world = world;
    this.#stopped = stopped;
    this.#customers = customers;
  }

  /** Checks that sent bytes are stored; called before a node sees them. */
  checkSent(raw: unknown): void {
    const stored = this.#world.database.query('select 1 from attempts where raw = $1', [String(raw)]);
    const wasStored = lostAttempts(this.#world).some((lost) => lost.raw === raw);
    if (stored.length === 0 && !wasStored) throw new Violation('sent bytes are stored', String(raw));
  }

  /** Checks that failures are retried after a pause; called for every call of the product. */
  checkPace(caller: string, service: Service, label: string): void {
    // Some providers take two calls in a batch, so that one reading of many blocks is hundreds of requests.
    if (service === 'chain' && !label.includes('eth_sendRawTransaction')) return;
    const now = this.#world.scheduler.now();
    if (now - this.#callsSince > PACE_MS) {
      this.#calls.clear();
      this.#callsSince = now;
    }
    const key = `${caller} ${service} ${label}`;
    const count = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, count);
    if (count > MAX_CALLS[service]) throw new Violation('failures are retried after a pause', key);
  }

  /**
   * From now on each lane has one driver, so nothing may conflict with it; and what was taken out of the chain of a busy
   * lane is there again, long before finality.
   */
  expectNoConflicts(): void {
    const { conditions, database } = this.#world;
    const isBusy = (wallet: Address) =>
      database.query(`select 1 from orders where wallet_address = $1 and state = 'signed'`, [wallet]).length > 0;
    if (conditions.has('late finality')) checkNonces(this.#world, walletsOf(this.#customers).filter(isBusy));
    this.#conflictsExpected = this.#world.database.conflicts;
  }

  /** Checks that what was offered once, and has become too little since, was raised: the caps leave room for that. */
  checkRaised(): void {
    const { database, chain } = this.#world;
    for (const wallet of walletsOf(this.#customers)) {
      const { nonce } = chain.head.state.account(wallet);
      const [row] = database.query(
        `select t.id, max(a.max_fee_per_gas)::text as offer, count(*) as offers from orders t
         join attempts a on a.transaction_id = t.id
         where t.wallet_address = $1 and t.nonce = $2 and t.state = 'signed' and a.nonce = t.nonce group by t.id`,
        [wallet, nonce],
      );
      if (row?.['offers'] === '1' && BigInt(row['offer'] ?? 0) < chain.baseFee) {
        throw new Violation('an offer can be raised', JSON.stringify(row));
      }
    }
  }

  /** All that has happened since the last check. */
  check(): void {
    const { conflicts } = this.#world.database;
    if (conflicts > this.#conflictsExpected) {
      throw new Violation('a single driver has no conflicts', `${conflicts - this.#conflictsExpected} times`);
    }
    if (this.#world.database.refusals('40001') > 0) {
      throw new Violation('a transaction waits for others, and goes on with what they have committed', 'it failed');
    }
    const stray = this.#world.peers.nodes.flatMap(({ strayReads }) => strayReads);
    if (stray.length > 0) throw new Violation('calls and code are read on the branch of the head', stray.join(', '));
    this.#checkHistory();
    if (this.#world.chain.busyBlocks.length === this.#blocksChecked) return;
    this.#blocksChecked = this.#world.chain.busyBlocks.length;
    checkOneEffect(this.#world, this.#customers);
  }

  #checkHistory(): void {
    for (const change of this.#world.database.takeHistory()) {
      const what = `${change.source} ${change.id}`;
      // What the operator's command does to orders is compared with the chain at the end.
      if (change.caller === 'operator') continue;
      if (change.isGone) throw new Violation('nothing accepted is deleted', what);
      this.#checkFence(change, what);
      if (change.source === 'orders') this.#checkLimits(change);
      if (change.isNew && change.kind === BASE_URI) this.#checkOneChange(change, what);
      if (change.source === 'attempts' && change.isNew) this.#checkWithdrawn(change);
      if (change.isNew) continue;
      if (change.source === 'attempts') throw new Violation('attempts are only added', what);
      if (change.source === 'orders') {
        this.#checkPaused(change);
        this.#checkTurn(change, what);
        this.#checkTransaction(change, what);
      } else checkOrder(change, what);
    }
  }

  /** What a driver stores, ends, gives up or reopens, it does in one epoch: it cannot outlive a fence. */
  #checkFence({ source, isNew, before, after, caller, epoch }: Change, what: string): void {
    const isOfDriver = source === 'attempts' || (source === 'orders' && !isNew && before['state'] !== after['state']);
    if (!isOfDriver || caller?.startsWith('object-') !== true) return;
    const known = this.#epochs.get(caller) ?? epoch;
    this.#epochs.set(caller, known);
    if (known !== epoch) throw new Violation('nothing is written with an old epoch', `${caller}: ${what}`);
  }

  #checkPaused({ id, kind, accountId, before, after }: Change): void {
    if (before['state'] !== 'waiting' || after['state'] !== 'signed' || kind === 'bundle') return;
    const { paused } = this.#stopped;
    if (paused.has('chain') || paused.has(String(accountId)))
      throw new Violation('what is paused is not signed', String(id));
  }

  /**
   * After the reply to its cancellation or refusal no effect of an order is signed, neither for the first time nor to
   * replace another. A bundle is replaced whatever of it is cancelled: what becomes of each order is decided by its
   * receipt.
   */
  #checkWithdrawn({ id, after }: Change): void {
    const { withdrawn } = this.#stopped;
    if (withdrawn.size === 0 || after['purpose'] !== 'effect') return;
    const rows = this.#world.database.query(
      `select kind, order_id from orders where id = $1 and kind <> 'bundle' or bundle_id = $1 and $2 = 1`,
      [id, after['number'] ?? null],
    );
    for (const { kind, order_id: orderId } of rows) {
      if (withdrawn.has(withdrawalOf(kind === OWNERSHIP, String(orderId)))) {
        throw new Violation('what is cancelled is not signed', `${kind} ${orderId}`);
      }
    }
  }

  /** The mint of a reissue is signed only while its revocation is CONFIRMED. */
  #checkTurn({ id, before, after }: Change, what: string): void {
    if (before['state'] !== 'waiting' || after['state'] !== 'signed') return;
    const [row] = this.#world.database.query(
      `select r.order_id, r.state from orders m join orders r on r.id = m.details->>'follows'
       where m.id = $1 and r.state <> 'confirmed'`,
      [id],
    );
    if (row !== undefined) {
      throw new Violation('a reissue mints what it has revoked', `${what}: ${row['order_id']} is ${row['state']}`);
    }
  }

  /** Changes of one contract's base URI are accepted one after another: so they are carried out in that order. */
  #checkOneChange({ id }: Change, what: string): void {
    const others = this.#world.database.query(
      `select o.id from orders n join orders o on o.kind = n.kind and o.contract_address = n.contract_address and o.id <> n.id
       where n.id = $1 and o.state in ('waiting', 'signed')`,
      [id],
    );
    if (others.length > 0) throw new Violation('a base URI has one change at a time', `${what}, ${others[0]?.['id']}`);
  }

  /** No order takes its account above a limit of the day, which has not ended since the start. */
  #checkLimits({ id, accountId, isNew, before, after, kind }: Change): void {
    if (kind === 'bundle' || !this.#world.faults.isLimited) return;
    const isSigned = before['state'] === 'waiting' && after['state'] === 'signed';
    if (!isNew && !isSigned) return;
    const [row] = this.#world.database.query(
      `select coalesce((select count(distinct t.order_id) from orders t where t.corporate_account_id = $1 and t.kind <> 'bundle')
           > (limits->>'ordersPerDay')::int, false) as too_many,
         coalesce((select sum(t.spent_wei) from orders t where t.corporate_account_id = $1)
           > (limits->'spend'->$2::text->>'perDay')::numeric, false) as too_much
       from account_limits where corporate_account_id = $1`,
      [accountId, this.#world.chainRules.id],
    );
    const isExceeded = row?.[isNew ? 'too_many' : 'too_much'] === 't';
    // An ownership transfer that follows a deployment was accepted with it, and has its order's id.
    if (isExceeded && !(isNew && this.#isFollowing(id)))
      throw new Violation('limits are kept', `${accountId}: ${isNew ? 'orders' : 'spend'}`);
  }

  /** Whether a transaction is that of an ownership transfer that follows a deployment. */
  #isFollowing(id: Change['id']): boolean {
    const rows = this.#world.database.query(
      `select 1 from orders t join orders d on d.order_id = t.order_id and d.kind = 'deploy'
       where t.id = $1 and t.kind = '${OWNERSHIP}'`,
      [id],
    );
    return rows.length > 0;
  }

  #checkTransaction(change: Change, what: string): void {
    const { before, after } = change;
    const { state: from = null } = before;
    const { state: to = null } = after;
    if (before['is_final'] === 'true' && after['is_final'] === 'false') {
      throw new Violation('what is final stays final', what);
    }
    if (after['nonce'] !== null && after['nonce'] !== before['nonce']) this.#checkNonce(change);
    const isMoved = from !== to || before['nonce'] !== after['nonce'];
    const raised = Number(after['version']) - Number(before['version']);
    // A replacement changes neither state nor nonce.
    if (raised !== 1 && (isMoved || raised !== 0)) {
      throw new Violation('every change raises the version by one', what);
    }
    if (isEnd(from) && (isMoved || raised === 1)) {
      const isReopened = from === 'confirmed' && !isEnd(to) && before['is_final'] === 'false';
      if (!isReopened) throw new Violation('an end is not changed', `${what} ${from} -> ${to}`);
      const { block_number: number, block_hash: hash } = before;
      if (hash !== null && this.#world.chain.block(Number(number))?.hash === hash) {
        throw new Violation('an end is reopened only if its block was reorganized out', what);
      }
    }
    if (before['nonce'] !== null && after['nonce'] === null) this.#checkLoss(change, what);
    // A bundle whose nonce is lost carries nothing any more.
    const isEmptied = change.kind === 'bundle' && after['nonce'] === null;
    if (!isEmptied && from === 'signed' && (to === 'failed' || to === 'cancelled') && after['block_number'] === null) {
      throw new Violation('an order that was signed ends by a receipt', what);
    }
    this.#checkDepth(change, what);
    const { block_hash: hash = null } = after;
    if (isNowFinal(change) && hash !== null) {
      const canonical = this.#world.chain.block(Number(after['block_number']))?.hash;
      if (canonical !== hash) throw new Violation('what is final is canonical', what);
    }
  }

  /** As the node with the most blocks counts, or counted. */
  #depthOf(block: number): number {
    return this.#world.peers.highest(this.#world.scheduler.now()) - block + 1;
  }

  /** An effect needs its confirmations; every other end by a receipt, and finality itself, needs a final block. */
  #checkDepth(change: Change, what: string): void {
    const { state: from } = change.before;
    const { state: to, block_number: block } = change.after;
    if (!isEnd(to) || block === null || block === undefined) return;
    const depth = this.#depthOf(Number(block));
    const { finality } = this.#world.chainRules;
    const isFinalNeeded = isNowFinal(change) || (from !== to && to !== 'confirmed');
    const needed = isFinalNeeded ? finality : this.#world.confirmations;
    if (depth < needed) throw new Violation('ends have their depth', `${what} ${to} at ${depth} of ${needed}`);
  }

  /** No other transaction of the wallet holds the nonce that one was given, whatever their states. */
  #checkNonce({ id }: Change): void {
    const rivals = this.#world.database.query(
      `select other.id from orders t join orders other on other.chain_id = t.chain_id
         and other.wallet_address = t.wallet_address and other.nonce = t.nonce
         and coalesce(other.bundle_id, other.id) <> coalesce(t.bundle_id, t.id) where t.id = $1`,
      [id],
    );
    if (rivals.length > 0) throw new Violation('no two transactions have one nonce', `${id}, ${rivals[0]?.['id']}`);
  }

  /**
   * A nonce is given up only if a foreign transaction in a final block has it, or an attempt of the bundle there, which
   * did without the order ({@link checkAmounts}).
   */
  #checkLoss({ id, before: { nonce = null, bundle_id: bundle = null } }: Change, what: string): void {
    const { database, chain, chainRules } = this.#world;
    const hashes = database.query(
      `select t.wallet_address, a.hash from orders t left join attempts a on a.transaction_id = coalesce($2, t.id)
       where t.id = $1`,
      [id, bundle],
    );
    const wallet = hashes[0]?.['wallet_address'];
    const consumer = chain
      .mined()
      .find(({ mined: { transaction } }) => transaction.from === wallet && transaction.nonce === Number(nonce));
    const isFinal = consumer !== undefined && this.#depthOf(consumer.block.number) >= chainRules.finality;
    const isOwn = hashes.some(({ hash }) => hash === consumer?.mined.transaction.hash);
    if (!isFinal || (isOwn && bundle === null))
      throw new Violation('a nonce is given up only if it is proven lost', `${what} ${nonce}`);
  }
}

function lostAttempts({ lost }: World): Lost['attempts'] {
  return lost.flatMap(({ attempts }) => attempts);
}

function isEnd(state: string | null | undefined): boolean {
  return ['confirmed', 'failed', 'cancelled'].includes(String(state));
}

function isNowFinal({ before, after }: Change): boolean {
  return before['is_final'] === 'false' && after['is_final'] === 'true';
}

function checkOrder(change: Change, what: string): void {
  const { status: before } = change.before;
  const { status: after } = change.after;
  if (!ENDS.has(String(before)) || before === after) return;
  const isReopened =
    (before === 'CONFIRMED' || before === 'ACTIVE') && ['SENT', 'PROCESSING', 'DEPLOYING'].includes(String(after));
  if (!isReopened) throw new Violation('an end is not changed', `${what} ${before} -> ${after}`);
}

interface MinedAttempt {
  readonly transactionId: string;
  readonly hash: Hex;
  readonly status: 'success' | 'reverted';
  readonly purpose: string;
}

function walletsOf(customers: readonly Customer[]): Address[] {
  return customers.flatMap(({ wallets }) => wallets.map(({ address }) => address));
}

/** What is on chain of the wallets, by whose attempt it is. */
function minedAttempts(world: World, customers: readonly Customer[]): MinedAttempt[] {
  const wallets = new Set<string>(walletsOf(customers));
  const mined = world.chain.mined().filter(({ mined: { transaction } }) => wallets.has(transaction.from));
  const stored = world.database
    .query('select transaction_id, hash, purpose from attempts')
    .map((row) => [row['hash'], { id: String(row['transaction_id']), purpose: String(row['purpose']) }] as const);
  const lost = lostAttempts(world).map(({ hash, transactionId: id, purpose }) => [hash, { id, purpose }] as const);
  const owners = new Map<string | null | undefined, { id: string; purpose: string }>([...lost, ...stored]);
  return mined.flatMap(({ mined: { transaction, status } }) => {
    const owner = owners.get(transaction.hash);
    return owner === undefined
      ? []
      : [{ transactionId: owner.id, hash: transaction.hash, status, purpose: owner.purpose }];
  });
}

/** At most one mined effect an order; where two attempts of one are mined, one of them did not have it. */
function checkOneEffect(world: World, customers: readonly Customer[]): void {
  const effects = minedAttempts(world, customers).filter(
    ({ status, purpose }) => status === 'success' && purpose === 'effect',
  );
  for (const [id, own] of Map.groupBy(effects, ({ transactionId }) => transactionId)) {
    if (own.length > 1) {
      throw new Violation('at most one mined effect an order', `${id}: ${own.map(({ hash }) => hash).join(', ')}`);
    }
  }
}

/** What the customers have asked for. */
interface Asked {
  readonly accepted: readonly Accepted[];
  /** The most orders that requests without a definitive response may have created. */
  readonly uncertain: number;
  readonly opposed: ReadonlySet<string>;
  readonly unapproved: ReadonlySet<string>;
  readonly approved: ReadonlySet<string>;
}

/** What must hold when the world has healed and time went on. */
export function checkEnd(
  world: World,
  customers: readonly Customer[],
  asked: Asked,
  foreign: ReadonlySet<string>,
): void {
  const found = foundByEffect(world);
  const others = lostAttempts(world).filter(
    ({ purpose, isOfKept, hash }) => purpose !== 'effect' || !isOfKept || found.has(hash),
  );
  checkKnown(world, customers, new Set([...foreign, ...others.map(({ hash }) => hash)]));
  checkOneEffect(world, customers);
  checkOneOrderPerRequest(world, asked);
  checkEnds(world, asked.accepted);
  checkTransactions(world, customers);
  checkDeliveries(world);
  checkEndpoints(world, customers);
  checkOneEventPerEnding(world);
  checkLastEvents(world);
  checkOneNoticePerNonce(world);
  checkReservations(world);
  checkExecuted(world, customers);
  checkEffects(world);
  checkNotifications(world);
  checkBaseUris(world);
  checkCertificates(world, customers);
  checkReissues(world);
  checkRequests(world);
  checkBurns(world, customers);
  checkCancelled(world);
  checkInclusions(world);
  checkGas(world, customers);
  checkRecorded(world);
  checkApproved(world, asked);
  checkOpposed(world, asked);
  checkOwners(world, asked);
  checkSpent(world);
  checkLog(world);
  if (world.targets.forged.length > 0) throw new Violation('every event is signed', world.targets.forged.join(', '));
}

/**
 * Errors that no fault of the world can cause, only the code, or how it is bundled; and a deadlock, which is tried again
 * until it passes.
 */
const MISTAKE =
  / log: error .*(deadlock detected|is not a function|is not defined|is not a constructor|before initialization)/;

function checkLog({ trace }: World): void {
  const mistake = trace.lines.find((line) => MISTAKE.test(line));
  if (mistake !== undefined) throw new Violation('the code has no mistake that it logs', mistake);
}

/** What a second person had to approve, and did not, was never signed; what was approved does not expire. */
function checkApproved({ database }: World, { approved, unapproved }: Asked): void {
  for (const { order_id: orderId } of database.query(
    `select order_id from orders t where approval_until is not null
       and (state not in ('failed', 'cancelled') or exists (select from attempts where transaction_id in (t.id, t.bundle_id)))`,
  )) {
    throw new Violation('only what is approved is signed', String(orderId));
  }
  for (const { order_id: orderId } of database.query(
    `select order_id from orders where approval_until is not null and state = 'failed'`,
  )) {
    if (approved.has(String(orderId))) throw new Violation('what is approved does not expire', String(orderId));
  }
  for (const { order_id: orderId } of database.query(
    `select order_id from orders t where exists (select from attempts where transaction_id in (t.id, t.bundle_id))`,
  )) {
    if (unapproved.has(String(orderId))) throw new Violation('only what is approved is signed', String(orderId));
  }
}

/**
 * Only what a customer has tried to cancel, or a second person to refuse, is cancelled; and the mint of a reissue whose
 * revocation is in vain.
 */
function checkOpposed({ database }: World, { opposed }: Asked): void {
  for (const { kind, order_id: id } of database.query(
    `select kind, order_id from orders m where state = 'cancelled' and kind <> 'bundle'
       and not exists (select from orders r where r.id = m.details->>'follows' and r.state in ('failed', 'cancelled'))`,
  )) {
    if (!opposed.has(withdrawalOf(kind === OWNERSHIP, String(id)))) {
      throw new Violation('only what is to be cancelled is cancelled', `${kind} ${id}`);
    }
  }
}

/**
 * A contract that was deployed belongs to whom its customer has named. Where a reorganization has removed the
 * deployment, and its nonce is used elsewhere, the transfer to the owner may be mined before the deployment is again.
 * It calls nothing then, which succeeds, and has FAILED.
 */
function checkOwners({ database, chain }: World, { accepted }: Asked): void {
  const mined = minedByHash(chain);
  for (const { id, finalOwner } of accepted) {
    if (finalOwner === undefined) continue;
    const [row] = database.query(
      `select c.status, c.contract_address, t.tx_hash from contracts c
       left join orders t on t.order_id = c.id and t.kind = '${OWNERSHIP}' and t.state = 'failed' where c.id = $1`,
      [id],
    );
    if (row?.['status'] !== 'ACTIVE') continue;
    const failed = mined.get(row['tx_hash'] as Hex);
    if (failed?.status === 'success' && failed.logs.length === 0) continue;
    const contract = chain.head.state.contract(row['contract_address'] as Address);
    if (contract?.kind !== 'token' || contract.owner !== finalOwner) {
      throw new Violation('a contract has its final owner', `${id}: not ${finalOwner}`);
    }
  }
}

/** What counts against a limit of spend is what the chain has charged. */
function checkSpent({ database, chain }: World): void {
  const costs = costsOf(chain);
  const mined = Map.groupBy(
    database.query('select transaction_id, hash from attempts').filter(({ hash }) => costs.has(String(hash))),
    ({ transaction_id: id }) => id ?? null,
  );
  for (const { id, spent_wei: spent } of database.query('select id, spent_wei from orders')) {
    const cost = (mined.get(id ?? null) ?? []).reduce((sum, { hash }) => sum + (costs.get(String(hash)) ?? 0n), 0n);
    if (Number(spent ?? 0) !== Number(cost)) {
      throw new Violation('what is counted as spent was paid', `${id}: ${spent}, not ${cost}`);
    }
  }
}

/** The audit log names every order that a request created: it is written with the order. */
function checkRecorded({ database }: World): void {
  for (const { kind, order_id: id } of database.query(
    `select kind, order_id from orders
     where kind <> 'bundle' and not exists (select from audit_log where resource_ids @> array[order_id])`,
  )) {
    throw new Violation('what is accepted is in the audit log', `${kind} ${id}`);
  }
}

/**
 * A mint by the contract's owner to an externally owned account has no reason to fail, unless it reissues what is not
 * revoked, nor has a deployment that needs no approval, but for a node that says that what it needs is not there. An
 * account that was told that it owned the contract no longer, before a reorganization gave it back, may have ordered
 * mints that failed for it. If somebody has used the nonce of a revocation, the mint that follows may be tried before it,
 * and a later reissue of the same certificate may be minted before an earlier one.
 */
function checkExecuted({ database, chain, faults }: World, customers: readonly Customer[]): void {
  const wallets = new Set<string>(walletsOf(customers));
  for (const row of database.query(
    `select id, contract_address, receiver_address, error_message from orders o where resource = 'minting-orders' and status = 'FAILED'
     and not exists (select from orders r where r.id = o.details->>'follows' and (r.status <> 'CONFIRMED' or r.nonce > o.nonce)) and not exists (
       select from orders m join orders r on r.id = m.details->>'follows' where m.status = 'CONFIRMED' and r.status <> 'CONFIRMED'
         and m.contract_address = o.contract_address and m.token_id = o.token_id) and not exists (
       select from orders t join webhook_events e on e.related_order_id = t.order_id and e.type = 'ownership.transferred'
       where t.kind = '${OWNERSHIP}' and t.contract_address = o.contract_address and e.created_at <= o.completed_at)`,
  )) {
    const contract = chain.head.state.contract(row['contract_address'] as Address);
    const receiver = chain.head.state.contract(String(row['receiver_address']).toLowerCase() as Address);
    // One that has delegated accepts, with code or without.
    const accepts = receiver === undefined || (receiver.kind === 'receiver' && receiver.reception.kind === 'delegated');
    if (contract?.kind === 'token' && wallets.has(contract.owner) && accepts) {
      throw new Violation('what can be executed is executed', JSON.stringify(row));
    }
  }
  if (faults.has('node-lies')) return;
  for (const row of database.query(
    `select c.id, t.error_message from orders t join contracts c on c.id = t.order_id
     where t.kind = 'deploy' and t.state = 'failed' and t.approval_until is null`,
  )) {
    throw new Violation('what can be executed is executed', JSON.stringify(row));
  }
}

/** Every ending has exactly one event. */
function checkOneEventPerEnding({ database }: World): void {
  for (const row of database.query(
    `select t.kind, t.order_id, t.endings, count(e.id) as events from orders t
     left join webhook_events e on e.related_order_id = t.order_id and not e.type = any($1) and ${isEventOf('e.type', 't.kind')}
     where t.kind <> 'bundle' group by t.id having count(e.id) <> t.endings`,
    [`{${Object.keys(NOTICES).join(',')}}`],
  )) {
    throw new Violation('every ending has one event', JSON.stringify(row));
  }
}

/**
 * The transactions by which orders are CONFIRMED. A set-back database lacks some: signed requests, deployments and the
 * transfers that follow them are sought on chain before a comparison adopts anything.
 */
function foundByEffect({ database }: World): ReadonlySet<string | null | undefined> {
  const rows = database.query(`select tx_hash from orders where state = 'confirmed'`);
  return new Set(rows.map(({ tx_hash: hash }) => hash));
}

/** Every mined transaction of a wallet is stored, except those signed elsewhere. */
function checkKnown({ database, chain }: World, customers: readonly Customer[], foreign: ReadonlySet<string>): void {
  const wallets = new Set<string>(walletsOf(customers));
  const stored = new Set(database.query('select hash from attempts').map(({ hash }) => hash));
  for (const { mined } of chain.mined()) {
    const { hash, from } = mined.transaction;
    if (wallets.has(from) && !stored.has(hash) && !foreign.has(hash)) {
      throw new Violation('what is mined is stored', hash);
    }
  }
}

/**
 * However often a request is repeated with its Idempotency-Key, it creates what it is answered with, and nothing else.
 */
function checkOneOrderPerRequest({ database }: World, { accepted, uncertain }: Asked): void {
  const answered = new Set(accepted.map(({ id }) => id));
  // An ownership transfer may follow from a deployment.
  const stored = database.query(`select order_id as id from orders where kind not in ('bundle', 'ownership-transfer')`);
  const others = stored.map(({ id }) => String(id)).filter((id) => !answered.has(id));
  if (others.length > uncertain) throw new Violation('a request creates one order', others.join(', '));
}

/** Every accepted order has an end. */
function checkEnds({ database, lost }: World, accepted: readonly Accepted[]): void {
  const orders = database.query(
    `select resource, order_id as id, status from orders where kind <> 'bundle'
     union all select 'contract', id, status from contracts`,
  );
  const stored = new Set(orders.map(({ resource, id }) => `${resource} ${id}`));
  for (const { resource, id } of accepted) {
    const isLost = lost.some((one) => one.orders.has(id));
    if (!stored.has(`${resource} ${id}`) && !isLost) {
      throw new Violation('what was accepted is stored', `${resource} ${id}`);
    }
  }
  for (const { resource, id, status } of orders) {
    if (!ENDS.has(String(status))) throw new Violation('every order has an end', `${resource} ${id} is ${status}`);
  }
}

function checkTransactions(world: World, customers: readonly Customer[]): void {
  const { database } = world;
  for (const row of database.query(`select id, kind, state, nonce from orders where state in ('waiting', 'signed')`)) {
    throw new Violation('every transaction has an end', JSON.stringify(row));
  }
  checkNonces(world, walletsOf(customers));
}

/** No nonce is missing: every assigned one of these wallets is mined. */
function checkNonces({ database, chain }: World, wallets: readonly Address[]): void {
  for (const address of wallets) {
    const { nonce } = chain.head.state.account(address);
    const open = database.query('select id, nonce from orders where wallet_address = $1 and nonce >= $2', [
      address,
      nonce,
    ]);
    if (open.length > 0) throw new Violation('no nonce is missing', `${address} ${nonce}: ${JSON.stringify(open)}`);
  }
}

/**
 * Each event is delivered to each of its endpoints at least once with its payload, or fails as the specification
 * allows.
 */
function checkDeliveries({ database, targets, lost }: World): void {
  const delivered = Map.groupBy(targets.deliveries, ({ name, eventId }) => `${name} ${eventId}`);
  for (const row of database.query(
    `select d.id, d.webhook_event_id as event, d.status, d.attempts, d.attempt_limit, e.payload, p.url,
       (select count(*) from webhook_logs l where l.webhook_delivery_id = d.id) as logged
     from webhook_deliveries d join webhook_events e on e.id = d.webhook_event_id
     join webhook_endpoints p on p.id = d.webhook_endpoint_id`,
  )) {
    const { id, event, status, payload, url } = row;
    const own = delivered.get(`${new URL(String(url)).pathname.slice(1)} evt_${event}`) ?? [];
    if (own.some((delivery) => delivery.payload !== payload)) {
      throw new Violation('an event always has the same payload', String(id));
    }
    const succeeded = own.some((delivery) => delivery.status < 300);
    if (status === 'SUCCESS' && !succeeded) throw new Violation('a SUCCESS was delivered', String(id));
    const refused = own.some((delivery) => delivery.status >= 300 && delivery.status < 500);
    const [attempts, limit] = [Number(row['attempts']), Number(row['attempt_limit'])];
    if (status === 'FAILED' && !refused && attempts < limit) {
      throw new Violation('an event fails only as the specification allows', `${id} after ${attempts}`);
    }
    if (status !== 'SUCCESS' && status !== 'FAILED')
      throw new Violation('every delivery has an end', `${id} is ${status}`);
    // One that was under way when the database was set back is logged there, but not counted.
    const uncounted = Number(row['logged']) - attempts;
    if (attempts > limit || uncounted < 0 || (uncounted > 0 && lost.length === 0)) {
      throw new Violation('every attempt is counted and logged', JSON.stringify(row));
    }
  }
}

function isNotice(type: string): boolean {
  return type in NOTICES;
}

/** The condition that an end of this type is one of this kind. */
function isEventOf(type: string, kind: string): string {
  return `(${type} like 'ownership.%') = (${kind} = '${OWNERSHIP}')`;
}

/** Each event has one delivery for each endpoint that gets it, and no other; every ended order has an event. */
function checkEndpoints({ database }: World, customers: readonly Customer[]): void {
  const endpointsOf = new Map(customers.map(({ id, endpoints }) => [id, endpoints]));
  const reported = new Set<string>();
  for (const row of database.query(
    `select e.id, e.type, e.corporate_account_id, e.related_order_id,
       (select string_agg(d.webhook_endpoint_id, ',' order by d.webhook_endpoint_id) from webhook_deliveries d
        where d.webhook_event_id = e.id) as endpoints
     from webhook_events e`,
  )) {
    const type = String(row['type']);
    const expected = (endpointsOf.get(String(row['corporate_account_id'])) ?? [])
      .filter(({ eventTypes }) => (eventTypes === null ? !isNotice(type) : eventTypes.includes(type)))
      .map(({ id }) => id)
      .toSorted();
    if (row['endpoints'] !== expected.join(',')) {
      throw new Violation('an event goes to the endpoints that get it', JSON.stringify(row));
    }
    if (!isNotice(type)) reported.add(withdrawalOf(type.startsWith('ownership.'), String(row['related_order_id'])));
  }
  for (const { kind, order_id: id } of database.query(
    `select kind, order_id from orders where completed_at is not null and kind <> 'bundle'`,
  )) {
    if (!reported.has(withdrawalOf(kind === OWNERSHIP, String(id)))) {
      throw new Violation('every ended order has an event', `${kind} ${id}`);
    }
  }
}

/** The last event of an end says how the order has ended, and by which transaction. */
function checkLastEvents({ database }: World): void {
  for (const row of database.query(
    `select t.kind, t.order_id, case t.kind when 'deploy' then c.status else t.status end as status, t.tx_hash, t.state, e.type,
       e.data->>'status' as reported, coalesce(e.data->>'txHash', e.data->>'deployTxHash') as reported_hash
     from orders t left join contracts c on c.id = t.order_id join lateral (
       select type, payload::jsonb->'data' as data from webhook_events
       where related_order_id = t.order_id and not type = any($1) and ${isEventOf('type', 't.kind')}
       order by id desc limit 1
     ) e on true where t.kind <> 'bundle'`,
    [`{${Object.keys(NOTICES).join(',')}}`],
  )) {
    if (row['reported'] !== row['status'] || row['reported_hash'] !== row['tx_hash']) {
      throw new Violation('the last event has the end', JSON.stringify(row));
    }
    const result = row['type']
      ?.split('.')
      .at(-1)
      ?.replace(/^(deployed|transferred)$/, 'confirmed');
    if (result !== row['state']) throw new Violation('the last event has the type of the end', JSON.stringify(row));
  }
}

/** No signer's nonce is reserved any more, and exactly the documents of confirmed mints are linked. */
function checkReservations({ database }: World): void {
  for (const row of database.query(`select order_id, kind, nonce from forward_requests where state = 'open'`)) {
    throw new Violation('no reservation is left', JSON.stringify(row));
  }
  for (const row of database.query(
    // A request that is repeated with another key of the account can be two orders.
    `select m.id, m.linked_at, array_agg(o.status) as orders from orders o join metadata m on m.id = o.metadata_id
     where o.resource = 'minting-orders' group by m.id having bool_or(o.status = 'CONFIRMED') <> (m.linked_at is not null)`,
  )) {
    throw new Violation('the documents of confirmed mints are linked', JSON.stringify(row));
  }
}

/** An order has one notice that it is sent for each nonce that it was signed with, alone or in a bundle. */
function checkOneNoticePerNonce(world: World): void {
  const { database } = world;
  // An attempt that was adopted is stored without a notice: that was sent before the database was set back.
  const lost = lostAttempts(world).map(({ hash }) => hash);
  const sent = `webhook_events e where e.related_order_id = t.order_id and e.type = 'order.sent'
    and e.payload::jsonb->'data'->>'orderKind' = t.kind`;
  for (const row of database.query(
    `select t.kind, t.order_id, count(distinct a.nonce) as nonces,
       (select count(*) from ${sent}) as notices
     from orders t left join attempts a on a.transaction_id in (t.id, t.bundle_id)
     where t.kind <> 'bundle' group by t.id
     having count(distinct a.nonce) + (t.earlier_bundle_id is not null)::int <> (select count(*) from ${sent})
       and not coalesce(bool_or(a.hash = any($1)), false)`,
    [`{${lost.join(',')}}`],
  )) {
    throw new Violation('every nonce of an order has one notice', JSON.stringify(row));
  }
}

function minedByHash(chain: World['chain']): ReadonlyMap<Hex, Mined> {
  return new Map(chain.mined().map(({ mined }) => [mined.transaction.hash, mined]));
}

/** Whether an order that the database lacks was about the same token. */
function isOfLost({ lost }: World, { contract_address: contract, token_id: token }: Row): boolean {
  return lost.some(({ tokens }) => tokens.has(`${contract} ${token}`));
}

/** The database and the chain agree, order by order. */
function checkEffects(world: World): void {
  const { database, chain } = world;
  const state = chain.head.state;
  const hashes = minedByHash(chain);
  const check = (row: Row, happened: boolean) => {
    const what = JSON.stringify(row);
    const isInVain = row['status'] === 'FAILED' || row['status'] === 'CANCELLED';
    // A request repeated with another API key is another order, which may have the effect.
    if (isInVain && happened && row['is_of_another'] !== 't') {
      throw new Violation('a FAILED or CANCELLED order had no effect', what);
    }
    if (row['status'] !== 'CONFIRMED' && row['status'] !== 'ACTIVE') return;
    if (!happened) throw new Violation('a CONFIRMED order had its effect', what);
    // A third party's deployment shows only as code at the address.
    if (row['tx_hash'] === null && row['status'] === 'ACTIVE') return;
    if (hashes.get(row['tx_hash'] as Hex)?.status !== 'success') {
      throw new Violation('a CONFIRMED order names a mined transaction', what);
    }
  };
  // Anyone may submit a signed request after its order was cancelled, and the signer also one that FAILED: see
  // checkRequests.
  for (const row of database.query(
    `select id, status, tx_hash, error_message, contract_address, erc_standard, token_id, receiver_address, exists (
       select from orders c where c.resource = o.resource and c.status = 'CONFIRMED' and c.id <> o.id
         and (c.contract_address, c.token_id, c.receiver_address) = (o.contract_address, o.token_id, o.receiver_address)) as is_of_another,
       exists (select from orders r where r.kind = 'certificate-revocation' and r.status = 'CONFIRMED'
         and (r.contract_address, r.token_id) = (o.contract_address, o.token_id)
         and lower(r.holder_address) = lower(o.receiver_address)) as is_revoked
     from orders o where resource = 'minting-orders' and not (kind = 'relay-mint' and status in ('CANCELLED', 'FAILED'))`,
  )) {
    const contract = state.contract(row['contract_address'] as Address);
    if (contract?.kind !== 'token') throw new Violation('orders name contracts', JSON.stringify(row));
    const tokenId = BigInt(row['token_id'] ?? '');
    const receiver = row['receiver_address']?.toLowerCase() as Address;
    // An order that the database lacks may have had the effect of one that was accepted again.
    if (isOfLost(world, row)) continue;
    // Receivers keep their tokens, except for certificates that are revoked, which nobody gets a second time.
    const holds = contract.holders.get(tokenId) === receiver;
    if (contract.standard === '721' && row['is_revoked'] === 't') {
      if (holds) throw new Violation('who had a revoked certificate has it no longer', JSON.stringify(row));
      if (row['status'] === 'CONFIRMED') check(row, true);
    } else if (contract.standard === '721') check(row, holds);
    // A request repeated with another API key is another order of the same units: see checkAmounts for those in vain.
    else if (row['status'] === 'CONFIRMED') check(row, (contract.balances.get(`${receiver}/${tokenId}`) ?? 0n) > 0n);
  }
  for (const row of database.query(
    `select c.id, c.status, c.contract_address, t.tx_hash, t.error_message
     from contracts c join orders t on t.kind = 'deploy' and t.order_id = c.id where t.tx_hash is not null or c.status = 'ACTIVE'`,
  )) {
    const isThere =
      row['contract_address'] !== null && state.contract(row['contract_address'] as Address) !== undefined;
    check(row, isThere);
  }
  for (const row of database.query(
    `select id, status, tx_hash, error_message, contract_address, token_id, receiver_address from orders where kind = 'transfer'`,
  )) {
    const contract = state.contract(row['contract_address'] as Address);
    if (contract?.kind !== 'token') throw new Violation('orders name contracts', JSON.stringify(row));
    const holder = contract.holders.get(BigInt(row['token_id'] ?? ''));
    // Receivers keep their tokens. If an order failed, another one may have transferred the token to the same receiver:
    // see checkRequests.
    if (row['status'] === 'CONFIRMED') check(row, holder === row['receiver_address']?.toLowerCase());
  }
  for (const row of database.query(
    `select id, status, tx_hash, error_message, contract_address, token_id, lower(holder_address) as holder, exists (
       select from orders m where m.details->>'follows' = o.id and m.status = 'CONFIRMED') as is_reissued
     from orders o where kind = 'burn' and erc_standard = '721' or kind = 'certificate-revocation'`,
  )) {
    const contract = state.contract(row['contract_address'] as Address);
    if (contract?.kind !== 'token') throw new Violation('orders name contracts', JSON.stringify(row));
    const holder = contract.holders.get(BigInt(row['token_id'] ?? ''));
    // What is burned here is never minted again, unless it is reissued, to somebody else. If an order failed, another
    // one may have burned the token: see checkBurns and checkCertificates.
    const isGone = row['is_reissued'] === 't' ? holder !== row['holder'] : holder === undefined;
    if (row['status'] === 'CONFIRMED') check(row, isGone);
  }
  for (const row of database.query(
    `select id, status, tx_hash, error_message, contract_address, receiver_address, exists (
       select from orders c where c.kind = o.kind and c.status = 'CONFIRMED' and c.id <> o.id
         and (c.contract_address, c.receiver_address) = (o.contract_address, o.receiver_address)) as is_of_another
     from orders o where kind = '${OWNERSHIP}'`,
  )) {
    const contract = state.contract(row['contract_address'] as Address);
    // Each has a distinct new owner, who keeps the contract.
    check(row, contract?.kind === 'token' && contract.owner === row['receiver_address']?.toLowerCase());
  }
  const minted = database.query(
    `select contract_address, token_id, status, amount from orders where resource = 'minting-orders' and erc_standard = '1155'`,
  );
  checkAmounts(
    minted.filter((row) => !isOfLost(world, row)),
    state,
  );
}

/**
 * The chain has the events of CONFIRMED orders, each in the transaction that its order names, and no others.
 * @param shown What an event says; undefined: it is another one.
 * @param ordered What the event of each CONFIRMED order says, and its transaction.
 */
function checkEvents(
  world: World,
  what: string,
  shown: (log: EventLog, mined: Mined) => string | undefined,
  ordered: readonly { readonly txHash: string | null | undefined; readonly says: string }[],
): void {
  const confirmed = ordered.map(({ txHash, says }) => `${txHash} ${says}`);
  // What was lost may be of an order that was, alone or in a bundle, or of an equal one that was accepted before it was
  // mined.
  const lost = new Set(lostAttempts(world).map(({ hash }) => hash));
  const happened = world.chain.mined().flatMap(({ mined }) =>
    mined.logs.flatMap((log) => {
      const said = shown(log, mined);
      const event = `${mined.transaction.hash} ${said}`;
      return said === undefined || (lost.has(mined.transaction.hash) && !confirmed.includes(event)) ? [] : [event];
    }),
  );
  const [onChain, inDatabase] = [happened, confirmed].map((list) => list.toSorted().join(', '));
  if (onChain !== inDatabase) throw new Violation(what, `${onChain}, not ${inDatabase}`);
}

function checkNotifications(world: World): void {
  const confirmed = world.database
    .query(
      `select tx_hash, contract_address, token_id from orders where kind = 'notification' and status = 'CONFIRMED'`,
    )
    .map((row) => ({ txHash: row['tx_hash'], says: `${row['contract_address']} ${row['token_id']}` }));
  checkEvents(world, 'the chain has the notifications that are CONFIRMED', notified, confirmed);
}

function notified({ topics, address, data }: EventLog): string | undefined {
  return topics[0] === METADATA_UPDATE ? `${address} ${BigInt(data)}` : undefined;
}

function checkBaseUris(world: World): void {
  const { abi } = standard721;
  const confirmed = world.database
    .query(
      `select tx_hash, contract_address, details->>'metadataBaseUri' as base from orders
       where kind = '${BASE_URI}' and status = 'CONFIRMED'`,
    )
    .map(({ tx_hash: txHash, contract_address: address, base }) => {
      const data = encodeFunctionData({ abi, functionName: 'setBaseURI', args: [String(base)] });
      return { txHash, says: `${address} ${data}` };
    });
  checkEvents(world, 'the chain has the base URIs that are CONFIRMED', baseSet, confirmed);
}

function baseSet({ topics, address }: EventLog, { transaction }: Mined): string | undefined {
  return topics[0] === BASE_UPDATE ? `${address} ${transaction.data}` : undefined;
}

/** Of contracts of certificates, every mint and revocation, each once: so no certificate is there twice. */
function checkCertificates(world: World, customers: readonly Customer[]): void {
  const contracts = new Set<Address | undefined>(customers.map(({ contracts: own }) => own[CERTIFICATES]?.address));
  const confirmed = world.database
    .query(
      `select tx_hash, kind, contract_address, token_id, lower(coalesce(receiver_address, holder_address)) as whose from orders
       where kind in ('mint', 'certificate-revocation') and contract_address = any($1) and status = 'CONFIRMED'`,
      [`{${[...contracts].join(',')}}`],
    )
    .map((row) => {
      const does = row['kind'] === 'mint' ? 'issues' : 'revokes';
      return { txHash: row['tx_hash'], says: `${row['contract_address']} ${does} ${row['token_id']} ${row['whose']}` };
    });
  const shown = (log: EventLog) => {
    if (!contracts.has(log.address)) return undefined;
    const [selector] = log.topics;
    if (selector !== TRANSFER && selector !== REVOKED) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the chain model creates them
    const topics = log.topics as [Hex, ...Hex[]];
    const { eventName, args } = decodeEventLog({ abi: certificate721.abi, topics, data: log.data });
    if (eventName === 'CertificateRevoked') return `${log.address} revokes ${args.tokenId} ${args.from.toLowerCase()}`;
    if (eventName !== 'Transfer' || args.from !== zeroAddress) return undefined;
    return `${log.address} issues ${args.tokenId} ${args.to.toLowerCase()}`;
  };
  checkEvents(world, 'the chain has the certificates that are CONFIRMED', shown, confirmed);
}

/**
 * The mint of a reissue is in vain if its revocation is; if both are CONFIRMED, the new holder has the certificate, or
 * had it when it was revoked again ({@link checkEffects}), and the mint is later.
 */
function checkReissues({ database, chain }: World): void {
  const order = new Map(chain.mined().map(({ mined }, place) => [mined.transaction.hash, place]));
  for (const row of database.query(
    `select m.id, m.status, r.status as revocation, m.tx_hash, r.tx_hash as revoked_by from orders m
     left join orders r on r.id = m.details->>'follows' and r.details->>'followedBy' = m.id
     where m.details->>'follows' is not null and m.status = 'CONFIRMED'`,
  )) {
    const [minted = -1, revoked = minted] = [row['tx_hash'], row['revoked_by']].map((hash) => order.get(hash as Hex));
    if (row['revocation'] !== 'CONFIRMED' || minted <= revoked) {
      throw new Violation('a reissue mints what it has revoked', JSON.stringify(row));
    }
  }
}

function keyOf(request: Row): string {
  const { forwarder_address: forwarder, signer_address: signer, nonce, contract_address: target, data } = request;
  return `${forwarder} ${signer} ${nonce} ${target} ${data}`;
}

interface Execution {
  /** The time of the block. */
  readonly at: number;
  /** Whether the signer submitted the request, which can happen after its order has FAILED. */
  readonly isOwn: boolean;
  readonly hash: Hex;
}

/** The requests that were executed successfully, by {@link keyOf}. */
function executedRequests({ chain }: World): ReadonlyMap<string, Execution> {
  return new Map(
    chain.mined().flatMap(({ block, mined }) =>
      mined.logs.flatMap(({ address, topics, data }): [string, Execution][] => {
        if (topics[0] !== EXECUTED) return [];
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the chain model creates them
        const signature = topics as [Hex, ...Hex[]];
        const { abi } = minimalForwarder;
        const { args } = decodeEventLog({ abi, eventName: 'Executed', topics: signature, data });
        const call = decodeFunctionData({ abi, data: mined.transaction.data });
        if (!args.success || call.functionName !== 'execute') return [];
        const signer = args.from.toLowerCase();
        const isOwn = mined.transaction.from === signer;
        const request = `${address} ${signer} ${args.nonce} ${args.to.toLowerCase()} ${call.args[0].data}`;
        return [[request, { at: block.at, isOwn, hash: mined.transaction.hash }]];
      }),
    ),
  );
}

/** The faults by which a driver may see the chain as it was. */
const BEHIND = ['node-stalls', 'node-left-behind', 'node-lies', 'stale-first-look', 'provider-lags'] as const;

/**
 * Where no node lags or lies, an order that a third party executed before its cancellation was requested is not
 * CANCELLED.
 */
function checkCancelled(world: World): void {
  const { database, faults, peers } = world;
  const areBehind = BEHIND.some((event) => faults.has(event)) || world.conditions.has('clocks apart');
  if (areBehind || peers.nodes.some(({ lagMs }) => lagMs > 0)) return;
  const executed = executedRequests(world);
  for (const row of database.query(
    `select t.order_id, r.forwarder_address, r.signer_address, r.nonce, r.contract_address, r.data, extract(epoch from t.cancel_requested_at) * 1000 as at
     from forward_requests r join orders t on t.order_id = r.order_id where t.state = 'cancelled'`,
  )) {
    const execution = executed.get(keyOf(row));
    if (execution !== undefined && execution.at < Number(row['at'])) {
      throw new Violation('an order is cancelled only if it was not executed before', JSON.stringify(row));
    }
  }
}

/**
 * Each signed request was executed if and only if its order is CONFIRMED, unless its signer executed it, or anyone who
 * has it from its signer and not from the service, or anyone after its order was cancelled; nobody else can use that
 * nonce of its signer. A request whose order FAILED may have become another order.
 */
function checkRequests(world: World): void {
  const { database } = world;
  const executed = executedRequests(world);
  const owners = new Map(
    database
      .query('select a.hash, t.order_id from attempts a join orders t on t.id = a.transaction_id')
      .map(({ hash, order_id: id }) => [hash, id]),
  );
  const rows = database.query(
    `select o.id, o.status, r.forwarder_address, r.signer_address, r.nonce, r.contract_address, r.data
     from forward_requests r join orders o on o.id = r.order_id`,
  );
  const confirmed = new Set(rows.filter(({ status }) => status === 'CONFIRMED').map(keyOf));
  const signed = new Set(owners.values());
  for (const row of rows) {
    const request = keyOf(row);
    const execution = executed.get(request);
    const isByOrder = execution !== undefined && owners.get(execution.hash) === row['id'];
    const isFromSigner = world.publishedRequests.has(request) && !signed.has(row['id'] ?? null);
    const isInVain = row['status'] === 'FAILED' || row['status'] === 'CANCELLED';
    const isLost = lostAttempts(world).some(({ hash, isOfKept }) => hash === execution?.hash && !isOfKept);
    const isForeign =
      row['status'] === 'FAILED' && !isLost && execution?.isOwn === false && !isFromSigner && !confirmed.has(request);
    if (isForeign || (isInVain && isByOrder)) throw new Violation('a FAILED order had no effect', JSON.stringify(row));
    if (row['status'] === 'CONFIRMED' && execution === undefined) {
      throw new Violation('a CONFIRMED order had its effect', JSON.stringify(row));
    }
  }
}

/**
 * Of the tokens that customers hold at first, exactly those are gone that an executed request has burned or a CONFIRMED
 * order has revoked.
 */
function checkBurns(world: World, customers: readonly Customer[]): void {
  const { database, chain } = world;
  const executed = executedRequests(world);
  const rows = database.query(
    `select o.token_id, o.amount, r.forwarder_address, r.signer_address, r.nonce, r.contract_address, r.data
     from orders o join forward_requests r on r.order_id = o.id where o.kind = 'burn'`,
  );
  // A request whose order FAILED may have become another order.
  const burned = new Map<string, Row>();
  for (const row of rows) {
    const request = keyOf(row);
    if (executed.has(request)) burned.set(request, row);
  }
  for (const { contracts } of customers) {
    for (const { address, standard } of contracts) {
      const contract = chain.head.state.contract(address);
      if (contract?.kind !== 'token') throw new Violation('orders name contracts', address);
      if (world.lost.some(({ contracts: about }) => about.has(address))) continue;
      const own = [...burned.values()].filter((row) => row['contract_address'] === address);
      const revoked = database.query(
        `select amount from orders where kind = 'certificate-revocation' and contract_address = $1 and status = 'CONFIRMED'
           and token_id::numeric < $2`,
        [address, HELD_TOKENS],
      );
      const ordered = [...own, ...revoked].reduce((sum, { amount }) => sum + BigInt(amount ?? 0), 0n);
      const left =
        standard === '721'
          ? BigInt([...contract.holders.keys()].filter((tokenId) => tokenId < BigInt(HELD_TOKENS)).length)
          : [...contract.balances].reduce((sum, [key, units]) => (key.endsWith('/0') ? sum + units : sum), 0n);
      const held = standard === '721' ? BigInt(HELD_TOKENS) : HELD_UNITS;
      if (held - left !== ordered) {
        throw new Violation('what is burned is what was ordered', `${address}: ${held - left}, not ${ordered}`);
      }
    }
  }
}

/** Every recorded inclusion is on the canonical chain. */
function checkInclusions({ database, chain }: World): void {
  for (const row of database.query(
    'select id, state, tx_hash, block_number, block_hash from orders where block_hash is not null',
  )) {
    const block = chain.block(Number(row['block_number']));
    const isIncluded = block?.mined.some(({ transaction }) => transaction.hash === row['tx_hash']) === true;
    if (block?.hash !== row['block_hash'] || !isIncluded) {
      throw new Violation('a recorded block includes its transaction', JSON.stringify(row));
    }
  }
}

/** Of an ERC-1155 token, exactly what the confirmed orders say was minted. */
function checkAmounts(orders: readonly Row[], state: World['chain']['head']['state']): void {
  for (const [key, own] of Map.groupBy(orders, (row) => `${row['contract_address']} ${row['token_id']}`)) {
    const [address, tokenId] = key.split(' ');
    const contract = state.contract(address as Address);
    if (contract?.kind !== 'token') continue;
    const minted = [...contract.balances].reduce(
      (sum, [holder, amount]) => (holder.endsWith(`/${tokenId}`) ? sum + amount : sum),
      0n,
    );
    const ordered = own.reduce(
      (sum, row) => (row['status'] === 'CONFIRMED' ? sum + BigInt(row['amount'] ?? 0) : sum),
      0n,
    );
    if (minted !== ordered)
      throw new Violation('what is minted is what was confirmed', `${key}: ${minted}, not ${ordered}`);
  }
}

/** Transaction hash -> wei that the chain has charged. */
function costsOf(chain: World['chain']): ReadonlyMap<string, bigint> {
  return new Map(chain.mined().map(({ mined }) => [mined.transaction.hash, mined.gasUsed * mined.effectiveGasPrice]));
}

/** What the wallets paid is what the orders say that they cost. */
function checkGas({ database, chain }: World, customers: readonly Customer[]): void {
  const costs = costsOf(chain);
  const recorded = database.query(`select tx_hash, total_fee_native from orders where kind <> 'bundle'`);
  const own = new Map(
    database
      .query(
        `select a.hash, (select max(bundle_size) from orders t where t.bundle_id = a.transaction_id) as size,
           (select count(*) from orders t where t.bundle_id = a.transaction_id) as carried from attempts a`,
      )
      .map((row) => [row['hash'], row]),
  );
  for (const [hash, orders] of Map.groupBy(recorded, ({ tx_hash }) => tx_hash)) {
    const attempt = own.get(hash ?? null);
    if (hash === null || hash === undefined || attempt === undefined) continue;
    const cost = costs.get(hash);
    const fee = orders.reduce((sum, { total_fee_native: one }) => sum + parseEther(one ?? '0'), 0n);
    // Those that a bundle did without pay for the call that carried them out.
    const isWhole = attempt['size'] === null || attempt['carried'] === attempt['size'];
    if (cost === undefined || (isWhole ? fee !== cost : fee > cost)) {
      throw new Violation(
        'fees are what was paid',
        `${hash}: ${fee}, not ${cost === undefined ? 'mined' : formatEther(cost)}`,
      );
    }
  }
  for (const address of walletsOf(customers)) {
    const paid = chain
      .mined()
      .filter(({ mined }) => mined.transaction.from === address)
      .reduce((sum, { mined }) => sum + mined.gasUsed * mined.effectiveGasPrice, 0n);
    const { balance } = chain.head.state.account(address);
    if (chain.deposited(address) - paid !== balance) {
      throw new Violation('balances equal deposits less gas', `${address} has ${balance}`);
    }
  }
}
