import { and, desc, eq, gte, isNull, ne, sql, type SQL } from 'drizzle-orm';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { ForwardRequest, Forwarder } from './forward-request.ts';
import { runBatch, type Statement, type SystemDb, type TenantDb } from '../platform/database/client.ts';
import { abortTransaction } from '../platform/database/errors.ts';
import { tagged } from '../platform/database/tagged.ts';
import { valuesTable } from '../platform/database/values.ts';
import { attempts, contracts, endStates, forwardRequests, orders } from '../platform/database/schema.ts';
import { ofBatch } from '../engine/transactions.store.ts';
import type { AnyOrderKind, Outcome } from '../engine/order-kind.ts';

export type StoredRequest = typeof forwardRequests.$inferSelect;

/** The columns of a relayed order's signed request, for the engine. */
export const relayColumns = {
  forwarderAddress: forwardRequests.forwarderAddress,
  signerAddress: forwardRequests.signerAddress,
  nonce: forwardRequests.nonce,
  targetAddress: forwardRequests.contractAddress,
  gasLimit: forwardRequests.gasLimit,
  data: forwardRequests.data,
  signature: forwardRequests.signature,
  deadline: forwardRequests.deadline,
  readAtBlock: forwardRequests.readAtBlock,
  notBeforeBlock: orders.notBeforeBlock,
};

/** A relayed order: a relayed mint or a transfer. */
export interface Relayed extends SignedFields {
  readonly signature: StoredRequest['signature'];
  readonly deadline: Date | null;
  readonly readAtBlock: number;
  readonly notBeforeBlock: number | null;
  readonly createdAt: Date;
}

/** The signed fields, and the forwarder. */
type SignedFields = Readonly<
  Pick<StoredRequest, 'chainId' | 'forwarderAddress' | 'signerAddress' | 'nonce' | 'gasLimit' | 'data'>
> & {
  /** The called contract. */
  readonly targetAddress: LowerCaseAddress;
};

/** A verified signed request that has no order yet. */
export type NewForwardRequest = Pick<
  typeof forwardRequests.$inferInsert,
  | 'chainId'
  | 'forwarderAddress'
  | 'signerAddress'
  | 'nonce'
  | 'contractAddress'
  | 'gasLimit'
  | 'data'
  | 'signature'
  | 'deadline'
  | 'readAtBlock'
  | 'purpose'
>;

/** The constraint that an insert violates if another order of the same purpose uses the signer's nonce. */
export const NONCE_TAKEN = 'forward_requests_open';

/** The signed request and its forwarder. */
export function signedRequestOf(stored: SignedFields): {
  readonly forwarder: Forwarder;
  readonly request: ForwardRequest;
} {
  return {
    forwarder: { chainId: stored.chainId, address: stored.forwarderAddress },
    request: {
      from: stored.signerAddress,
      to: stored.targetAddress,
      value: 0n,
      gas: BigInt(stored.gasLimit),
      nonce: BigInt(stored.nonce),
      data: stored.data,
    },
  };
}

/** Whether the service deployed a forwarder, for whichever account, so that it logs each use of a nonce. */
export async function isDeployedForwarder(db: SystemDb, { chainId, address }: Forwarder): Promise<boolean> {
  const [row] = await db.sql
    .select({ id: contracts.id })
    .from(contracts)
    .where(
      and(
        eq(contracts.chainId, chainId),
        eq(contracts.contractAddress, address),
        eq(contracts.ercStandard, 'Forwarder'),
        isNull(contracts.registeredAtBlock),
      ),
    );
  return row !== undefined;
}

/** Whether a transaction executes another order with the signer's nonce, or has confirmed it. */
export async function isOfAnother(
  db: SystemDb,
  orderId: string,
  { chainId, forwarderAddress, signerAddress, nonce }: SignedFields,
  txHash: string,
): Promise<boolean> {
  const rows = await db.sql
    .select({ orderId: forwardRequests.orderId })
    .from(forwardRequests)
    .where(
      and(
        eq(forwardRequests.chainId, chainId),
        eq(forwardRequests.signerAddress, signerAddress),
        eq(forwardRequests.forwarderAddress, forwarderAddress),
        eq(forwardRequests.nonce, nonce),
        ne(forwardRequests.orderId, orderId),
        sql`exists (select 1 from ${orders} t where t.kind = ${forwardRequests.kind} and t.order_id = ${forwardRequests.orderId}
          and (t.state = 'confirmed' and t.tx_hash = ${txHash}
            or exists (select 1 from ${attempts} a where a.transaction_id = t.id and a.hash = ${txHash})))`,
      ),
    );
  return rows.length > 0;
}

/**
 * Since when the nonce of an unfinished order's request is known to be used, without a log that says by what: `now` if
 * that was not known before. Stored as the time at which the request last changed.
 */
export async function unexplainedSince(db: SystemDb, orderId: string, now: Date): Promise<Date> {
  const { createdAt, updatedAt } = forwardRequests;
  const isOfOrder = eq(forwardRequests.orderId, orderId);
  await runBatch(db, {
    changed: db.sql
      .update(forwardRequests)
      .set({ updatedAt: now })
      .where(and(isOfOrder, eq(updatedAt, createdAt))),
  });
  const [row] = await db.sql.select({ updatedAt }).from(forwardRequests).where(isOfOrder);
  if (row === undefined) throw new Error(`The order ${orderId} has no signed request`);
  return row.updatedAt;
}

/**
 * The statements that store an order's signed request and so reserve the signer's nonce. The second aborts with
 * `nonce_used` if an order with the nonce was CONFIRMED, whatever a node that lags has said; it comes after the first,
 * which waits for an order with the nonce that is just ending.
 */
export function insertForwardRequest(db: TenantDb, kind: string, orderId: string, request: NewForwardRequest) {
  return {
    request: db.sql
      .insert(forwardRequests)
      .values({ ...request, orderId, kind, corporateAccountId: db.accountId, state: 'open' }),
    guardNonce: db.sql.execute(
      tagged(
        'guard-nonce',
        sql`
        select ${abortTransaction('nonce_used')} from ${forwardRequests} mine
        join ${forwardRequests} other using (chain_id, signer_address, forwarder_address, nonce, purpose)
        join ${orders} t on t.kind = other.kind and t.order_id = other.order_id
        where mine.order_id = ${orderId} and other.order_id <> mine.order_id and t.state not in ('failed', 'cancelled')`,
      ),
    ),
  };
}

/**
 * The nonces of a signer's requests whose orders are unfinished, across all accounts: the forwarder has one nonce per
 * signer, whichever account relays.
 */
export async function openNonces(db: TenantDb, forwarder: Forwarder, signer: LowerCaseAddress): Promise<bigint[]> {
  return await findNonces(db, { forwarder, signer }, eq(forwardRequests.state, 'open'));
}

/** The same, from a nonce on, with those that were mined meanwhile: an order may begin and end between two reads. */
export async function takenNonces(
  db: TenantDb,
  forwarder: Forwarder,
  signer: LowerCaseAddress,
  from: bigint,
): Promise<bigint[]> {
  const isTaken = and(ne(forwardRequests.state, 'released'), gte(forwardRequests.nonce, from.toString()));
  return await findNonces(db, { forwarder, signer }, isTaken);
}

async function findNonces(db: TenantDb, signer: Parameters<typeof ofSigner>[0], condition: SQL | undefined) {
  const rows = await db.sql
    .select({ nonce: forwardRequests.nonce })
    .from(forwardRequests)
    .where(and(ofSigner(signer), condition));
  return rows.map(({ nonce }) => BigInt(nonce));
}

/** The request with the nonce directly before this one's: an unfinished one, else the mined one, else the latest. */
export async function findPredecessor(
  db: SystemDb,
  request: SignedFields,
): Promise<Pick<StoredRequest, 'orderId' | 'corporateAccountId' | 'nonce' | 'state' | 'updatedAt'> | undefined> {
  const [row] = await db.sql
    .select({
      orderId: forwardRequests.orderId,
      corporateAccountId: forwardRequests.corporateAccountId,
      nonce: forwardRequests.nonce,
      state: forwardRequests.state,
      updatedAt: forwardRequests.updatedAt,
    })
    .from(forwardRequests)
    .where(
      and(
        ofSigner({
          forwarder: { chainId: request.chainId, address: request.forwarderAddress },
          signer: request.signerAddress,
        }),
        eq(forwardRequests.nonce, (BigInt(request.nonce) - 1n).toString()),
      ),
    )
    .orderBy(
      desc(sql`${forwardRequests.state} = 'open'`),
      desc(sql`${forwardRequests.state} = 'mined'`),
      desc(forwardRequests.orderId),
    )
    .limit(1);
  return row;
}

/**
 * The dependency of relayed orders: a signer's requests are executed in the order of their nonces. Of two with the same
 * nonce, one that only uses it up comes first, unless the wallet has signed the other: then it waits for the end of
 * that one, which it could not overtake. What a limit of another account holds may never end: it is not waited for
 * here, and the forwarder's nonce holds the order instead, for as long as an order may be held that cannot succeed yet.
 */
export const signerDependency: NonNullable<AnyOrderKind['dependency']> = {
  predecessors: (transaction, now) => sql`
    select 'The request of the signer with nonce ' || earlier.nonce || ' comes first and has not ended' as detail,
      greatest(mine.created_at, earlier.created_at) as since
    from ${forwardRequests} mine, lateral (
      select * from ${forwardRequests} own where own.chain_id = mine.chain_id and own.signer_address = mine.signer_address
        and own.forwarder_address = mine.forwarder_address and own.nonce <= mine.nonce and own.state = 'open'
        and (own.nonce < mine.nonce or (own.purpose <> mine.purpose and (own.purpose = 'cancel' or exists (
          select 1 from ${orders} rival where rival.kind = own.kind and rival.order_id = own.order_id
            and rival.wallet_address = ${transaction}.wallet_address and rival.state = 'signed'))))
        and (own.corporate_account_id = mine.corporate_account_id or not exists (
          select 1 from ${orders} held where held.kind = own.kind and held.order_id = own.order_id
            and held.state = 'waiting' and held.hold_reason = 'limit'))
      order by own.nonce limit 1) earlier
    where mine.order_id = ${transaction}.order_id and (mine.deadline is null or mine.deadline > ${now})`,

  release: (db, batchId, orderIds, now) =>
    db.sql
      .update(orders)
      .set({
        notBeforeBlock: sql`greatest(${orders.notBeforeBlock}, freed.block_number)`,
        nextTryAt: sql`least(${orders.nextTryAt}, ${now.toISOString()}::timestamptz)`,
      })
      .from(
        sql`(
          select next.kind, next.order_id, max(ended.block_number) as block_number
          from ${orders} ended
          join ${forwardRequests} mine on mine.order_id = ended.order_id and mine.kind = ended.kind
          join ${forwardRequests} next on next.chain_id = mine.chain_id and next.signer_address = mine.signer_address
            and next.forwarder_address = mine.forwarder_address and next.nonce >= mine.nonce and next.state = 'open'
            and next.order_id <> mine.order_id
          where ended.order_id in ${orderIds} and ended.batch_id = ${batchId} and ended.state in ${endStates}
          group by next.kind, next.order_id
        ) as freed`,
      )
      .where(sql`${orders.kind} = freed.kind and ${orders.orderId} = freed.order_id and ${orders.state} = 'waiting'`)
      .returning({ chainId: orders.chainId, walletAddress: orders.walletAddress }),
};

/** The statement, for a batch that ends orders, that releases their nonces or marks them as mined. */
export function endForwardRequests(
  db: SystemDb,
  batchId: string,
  kind: string,
  outcomes: readonly Outcome<Relayed, unknown>[],
): Statement {
  const ends = outcomes.map(({ claim, at, result, mined }) => ({
    order_id: claim.orderId,
    // What is mined of a cancelled order is a transfer of the wallet to itself.
    state: result === 'confirmed' || (result === 'failed' && mined !== undefined) ? 'mined' : 'released',
    at,
  }));
  return db.sql
    .update(forwardRequests)
    .set({ state: sql`v.state`, updatedAt: sql`v.at` })
    .from(valuesTable('v', { order_id: 'text', state: 'text', at: 'timestamptz' }, ends))
    .where(and(sql`${forwardRequests.orderId} = v.order_id`, ofBatch(batchId, kind, forwardRequests.orderId)));
}

/** The statement, for a batch that reopens orders, that reserves their nonces again unless other orders use them. */
export function reopenForwardRequests(db: SystemDb, batchId: string, kind: string): Statement {
  return db.sql
    .update(forwardRequests)
    .set({ state: 'open', updatedAt: sql`${forwardRequests.createdAt}` })
    .where(
      and(
        eq(forwardRequests.kind, kind),
        ofBatch(batchId, kind, forwardRequests.orderId),
        sql`not exists (
          select 1 from ${forwardRequests} other where other.chain_id = ${forwardRequests.chainId}
            and other.signer_address = ${forwardRequests.signerAddress}
            and other.forwarder_address = ${forwardRequests.forwarderAddress}
            and other.nonce = ${forwardRequests.nonce} and other.purpose = ${forwardRequests.purpose} and other.state = 'open')`,
      ),
    );
}

function ofSigner({ forwarder, signer }: { readonly forwarder: Forwarder; readonly signer: LowerCaseAddress }) {
  return and(
    eq(forwardRequests.chainId, forwarder.chainId),
    eq(forwardRequests.signerAddress, signer),
    eq(forwardRequests.forwarderAddress, forwarder.address),
  );
}
