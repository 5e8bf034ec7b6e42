import { and, count, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { Condition, Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import {
  contracts,
  metadata,
  mintingOrders,
  occupies,
  transactions,
  underWay,
} from '../../platform/database/schema.ts';
import type { OrderStatus } from '../../core/order-status.ts';
import type { OrderProgress } from '../../core/result-fields.ts';
import type { ContractType } from '../../platform/database/schema.ts';
import type { PageRange } from '../../core/paging.ts';
import { acceptTransactions, withinLimits } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { isTransactionOf, progressOf } from '../../engine/transactions.store.ts';

export type MintingOrder = typeof mintingOrders.$inferSelect & { readonly progress?: OrderProgress | null };

/** The columns of a {@link MintingOrder}. */
export const orderColumns = {
  ...getTableColumns(mintingOrders),
  progress: progressOf(mintingOrders, 'mint', 'relay-mint'),
};
export type NewMintingOrder = Omit<typeof mintingOrders.$inferInsert, 'corporateAccountId'> & {
  readonly createdAt: Date;
};

/** An order with what its mint needs to know of its contract. */
export interface MintOrder extends MintingOrder {
  readonly contractType: ContractType | null;
}

/** The token and the metadata that a mint names. */
export interface MintTarget {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: Address;
  /** Decimal. */
  readonly tokenId: string;
  readonly metadataId?: string | undefined;
}

/**
 * What the account's records say of mints, in one round trip however many they are: the contracts and the metadata that they
 * name, as far as the account has them, and which orders have those already.
 * @param orderIds Ids of orders of which some may be stored.
 */
export async function findMintingSubjects(
  db: TenantDb,
  targets: readonly MintTarget[],
  orderIds: readonly string[] = [],
) {
  const metadataIds = targets.flatMap(({ metadataId }) => (metadataId === undefined ? [] : [metadataId]));
  const [found, documents, tokens, stored] = await db.sql.batch([
    db.sql
      .select()
      .from(contracts)
      .where(
        and(
          activeContract(db),
          inArray(contracts.contractAddress, [...new Set(targets.map(({ contractAddress }) => contractAddress))]),
        ),
      ),
    db.sql
      .select({ document: metadata, occupantId: mintingOrders.id, unitsOrderId: orderOfUnits })
      .from(metadata)
      .leftJoin(mintingOrders, and(eq(mintingOrders.metadataId, metadata.id), occupies))
      .where(and(eq(metadata.corporateAccountId, db.accountId), inArray(metadata.id, [...new Set(metadataIds)]))),
    standingOfTokens(db, targets),
    db.sql
      .select({ id: mintingOrders.id })
      .from(mintingOrders)
      .where(and(inArray(mintingOrders.id, [...orderIds]), eq(mintingOrders.corporateAccountId, db.accountId))),
  ]);
  return { contracts: found, documents, tokens, stored: new Set(stored.map(({ id }) => id)) };
}

/** What {@link findMintingSubjects} found. */
export type MintRecords = Awaited<ReturnType<typeof findMintingSubjects>>;

/** An ERC-1155 order under way that has the metadata of the row. */
const orderOfUnits = sql<string | null>`(
  select units.id from minting_orders as units
  where units.metadata_id = ${metadata.id} and units.erc_standard = '1155' and units.status in ${underWay}
  limit 1
)`;

/**
 * Which ERC-721 tokens among these have orders. The subqueries hang on the contract, so that of an ERC-1155 token, which may
 * have a million orders, none is read.
 */
function standingOfTokens(db: TenantDb, targets: readonly MintTarget[]) {
  const named = targets.map(({ chainId, contractAddress, tokenId }) => ({ chainId, contractAddress, tokenId }));
  const ofToken = sql`
    mint.contract_address = ${contracts.contractAddress} and mint.token_id = v."tokenId"
    and mint.contract_id = ${contracts.id}`;
  return db.sql
    .select({
      contractId: contracts.id,
      tokenId: sql<string>`v."tokenId"`,
      orderId: sql<string | null>`(
        select mint.id from minting_orders as mint where ${ofToken} and mint.status in ${underWay} limit 1
      )`,
      wasMinted: sql<boolean>`exists (
        select 1 from minting_orders as mint where ${ofToken} and mint.status = 'CONFIRMED'
      )`,
    })
    .from(contracts)
    .innerJoin(
      valuesTable('v', { chainId: 'text', contractAddress: 'text', tokenId: 'text' }, named),
      sql`${contracts.chainId} = v."chainId" and ${contracts.contractAddress} = v."contractAddress"`,
    )
    .where(and(activeContract(db), eq(contracts.ercStandard, '721')));
}

/** The account's ACTIVE contracts. */
function activeContract(db: TenantDb) {
  return and(eq(contracts.corporateAccountId, db.accountId), eq(contracts.status, 'ACTIVE'));
}

/** Lets one request at a time decide about the metadata that it names; the first statement of a batch that inserts orders. */
export function lockMetadata(db: TenantDb, metadataIds: readonly string[]) {
  const ids = valuesTable(
    'v',
    { id: 'text' },
    metadataIds.map((id) => ({ id })),
  );
  return db.sql.execute(
    tagged(
      'lock-metadata',
      sql`select id from ${metadata} where id in (select v.id from ${ids}) order by id for no key update`,
    ),
  );
}

/**
 * True of an order `o` whose metadata is another's: an ERC-721 order's that has succeeded or still may, that of ERC-1155 units under way, or that of
 * a token of another contract which it was linked to in the meantime. Of orders in one batch the one with the lowest id is first.
 */
export const isOccupied = sql.raw(`(
  exists (
    select 1 from minting_orders p where p.metadata_id = o.metadata_id and p.erc_standard <> o.erc_standard
      and (p.erc_standard = '721' and p.status not in ('FAILED', 'CANCELLED')
        or p.erc_standard = '1155' and p.status in ('PENDING', 'PROCESSING', 'SENT'))
      and (p.id < o.id or exists (
        select 1 from transactions t where t.kind in ('mint', 'relay-mint') and t.order_id = p.id)))
  or exists (
    select 1 from metadata m where m.id = o.metadata_id and m.contract_address <> o.contract_address))`);

/**
 * Takes back those of a batch's orders whose metadata an order of the other standard has: the unique index knows ERC-721 only. Orders that have
 * their transaction were accepted before.
 */
function withdrawOccupied(db: TenantDb, kind: string, orderIds: readonly string[]) {
  const ids = valuesTable(
    'v',
    { id: 'text' },
    orderIds.map((id) => ({ id })),
  );
  return db.sql.execute(
    tagged(
      'withdraw-occupied',
      sql`
    delete from ${mintingOrders} o
    where o.id in (select v.id from ${ids}) and o.corporate_account_id = ${db.accountId} and not exists (
      select 1 from ${transactions} t where t.kind = ${kind} and t.order_id = o.id) and ${isOccupied}`,
    ),
  );
}

/**
 * Stores orders with what they need on chain; those of an id that is there already are left as they are.
 * @param walletAddress Of the account.
 * @returns the orders that are stored: those whose ERC-721 metadata another order has are left out.
 * @throws {LimitExceeded} which says of each that the account's limits refuse; none is stored.
 */
export async function insertOrders(
  db: TenantDb,
  kind: AcceptedKind,
  walletAddress: Address,
  orders: readonly NewMintingOrder[],
  now: Date,
): Promise<MintingOrder[]> {
  if (orders.length === 0) return [];
  const [, , , , , rows] = await withinLimits(now, () =>
    db.sql.batch([
      lockMetadata(
        db,
        orders.map(({ metadataId }) => metadataId),
      ),
      db.sql
        .insert(mintingOrders)
        .values(orders.map((order) => ({ ...order, corporateAccountId: db.accountId })))
        .onConflictDoNothing(),
      withdrawOccupied(
        db,
        kind.name,
        orders.map(({ id }) => id),
      ),
      ...acceptTransactions(
        db,
        kind,
        orders.map((order) => ({
          order,
          orderId: order.id,
          chainId: order.chainId,
          walletAddress,
          after: { kind: 'deploy', orderId: order.contractId },
        })),
        now,
      ),
      db.sql
        .select(orderColumns)
        .from(mintingOrders)
        .where(
          and(
            inArray(
              mintingOrders.id,
              orders.map(({ id }) => id),
            ),
            eq(mintingOrders.corporateAccountId, db.accountId),
          ),
        ),
    ]),
  );
  return rows;
}

export async function findOrder(db: TenantDb, id: string): Promise<MintingOrder | undefined> {
  const [row] = await db.sql
    .select(orderColumns)
    .from(mintingOrders)
    .where(and(eq(mintingOrders.id, id), eq(mintingOrders.corporateAccountId, db.accountId)));
  return row;
}

/** The statement that reads the orders of transactions for the engine. */
export function loadMintOrders(
  db: SystemDb,
  kind: string,
  condition: Condition,
): Rows<{ readonly orderId: string; readonly order: MintOrder }> {
  return db.sql
    .select({
      orderId: mintingOrders.id,
      order: { ...getTableColumns(mintingOrders), contractType: contracts.contractType },
    })
    .from(transactions)
    .innerJoin(mintingOrders, isTransactionOf(kind, mintingOrders.id))
    .innerJoin(contracts, eq(contracts.id, mintingOrders.contractId))
    .where(condition);
}

/** What a list of orders is narrowed to. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  /** Lower case. */
  readonly contractAddress?: Address | undefined;
  readonly receiverAddress?: Address | undefined;
}

/** A page of the account's orders, newest first; each filter has an index that ends in the id. */
export function listOrders(db: TenantDb, { status, contractAddress, receiverAddress }: OrderFilter, page: PageRange) {
  return db.sql
    .select(orderColumns)
    .from(mintingOrders)
    .where(
      and(
        inPage(mintingOrders, db, page),
        status === undefined ? undefined : eq(mintingOrders.status, status),
        contractAddress === undefined ? undefined : eq(mintingOrders.contractAddress, contractAddress),
        receiverAddress === undefined
          ? undefined
          : sql`lower(${mintingOrders.receiverAddress}) = ${receiverAddress.toLowerCase()}`,
      ),
    )
    .orderBy(desc(mintingOrders.id))
    .limit(page.take);
}

/** @param txHash In lower case, as hashes are stored. */
export async function findOrderByTx(db: TenantDb, txHash: Hex): Promise<MintingOrder | undefined> {
  const [row] = await db.sql
    .select(orderColumns)
    .from(mintingOrders)
    .where(and(eq(mintingOrders.txHash, txHash), eq(mintingOrders.corporateAccountId, db.accountId)))
    .limit(1);
  return row;
}

/** The newest `limit` orders of a token. */
export function ordersOfToken(
  db: TenantDb,
  contractAddress: Address,
  tokenId: string,
  limit: number,
): Promise<MintingOrder[]> {
  return db.sql
    .select(orderColumns)
    .from(mintingOrders)
    .where(
      and(
        eq(mintingOrders.contractAddress, contractAddress),
        eq(mintingOrders.tokenId, tokenId),
        eq(mintingOrders.corporateAccountId, db.accountId),
      ),
    )
    .orderBy(desc(mintingOrders.id))
    .limit(limit);
}

/** How many orders a token has, past ones included. */
export async function countOrders(db: TenantDb, target: MintTarget): Promise<number> {
  const [row] = await db.sql
    .select({ orders: count() })
    .from(mintingOrders)
    .where(
      and(
        eq(mintingOrders.corporateAccountId, db.accountId),
        eq(mintingOrders.chainId, target.chainId),
        eq(mintingOrders.contractAddress, target.contractAddress),
        eq(mintingOrders.tokenId, target.tokenId),
      ),
    );
  return row?.orders ?? 0;
}
