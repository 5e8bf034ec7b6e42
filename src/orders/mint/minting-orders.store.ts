import { and, count, desc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { isActive } from '../../catalog/contracts/contracts.store.ts';
import { deploymentOf } from '../../catalog/contracts/deployment.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { acceptOrders, type AcceptedKind, type AcceptingDb } from '../../limits/limits.store.ts';
import type { OrderReading } from '../../engine/order-kind.ts';
import { orderOf } from '../../engine/order-row.store.ts';
import { joinedReading, replyColumns } from '../../engine/transactions.store.ts';
import type { Rows, TenantDb } from '../../platform/database/client.ts';
import { jsonArray, jsonObject, valuesTable } from '../../platform/database/values.ts';
import { abortTransaction } from '../../platform/database/errors.ts';
import { ofVisibleChain } from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import {
  claims,
  contracts,
  metadata,
  occupies,
  ofResource,
  orders,
  underWay,
  undone,
  type ContractType,
} from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { signerDependency } from '../../relay/forward-requests.store.ts';
import { followingDependency } from '../following-orders.store.ts';
import { ofForm } from '../orders.store.ts';
import type { NewOrderOf, OrderOf } from '../stored-orders.ts';
import { MINT, mintingOrders, RELAY_MINT } from '../order-forms.ts';

export type MintingOrder = OrderOf<typeof mintingOrders>;

export type NewMintingOrder = NewOrderOf<typeof mintingOrders> & {
  readonly tokenUri: string | null;
  readonly metadataHash: Hex | null;
  /** The block at which its contract was registered; null for one that this service deployed. */
  readonly registeredAtBlock?: number | null;
};

/** What a mint needs beside its order's own columns. */
export const joinedColumns = {
  contractType: contracts.contractType,
  registeredAtBlock: contracts.registeredAtBlock,
  metadataBaseUri: contracts.metadataBaseUri,
  isClaim: sql<boolean>`exists (select from ${claims} where ${claims.id} = ${orders.id})`,
};

/** A condition on the row that has them: the order's contract. */
export const isContractOfOrder = eq(contracts.id, orders.contractId);

/** An order with everything that its mint needs. */
export type MintOrder = MintingOrder & {
  readonly contractType: ContractType | null;
  /** The block at which its contract was registered; null for one that this service deployed. */
  readonly registeredAtBlock: number | null;
  /** The base from which a certificate's contract derives URIs. */
  readonly metadataBaseUri: string | null;
  /** Whether a stranger has named, or will name, its receiver. */
  readonly isClaim: boolean;
};

/** The token of a mint, and the metadata if that is asked about. */
export interface MintPlace {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  /** Decimal. */
  readonly tokenId: string;
  readonly metadataId?: string | undefined;
}

/** The token and metadata that a mint is checked for. */
export interface MintTarget extends MintPlace {
  /** The document of a certificate; absent if only the metadata is checked. */
  readonly tokenUri?: string | null | undefined;
  readonly metadataHash?: Hex | null | undefined;
}

/** A condition: a row of `orders`, by the name that the statement gives it, is that of a mint. */
const isMint = (row: string) => sql.raw(`${row}.resource = 'minting-orders'`);

/** A condition: the row `p` is an order of ERC-1155 units with this metadata. Spelled as in the index. */
const unitsOf = (metadataId: SQL) =>
  sql`${isMint('p')} and p.metadata_id = ${metadataId} and p.erc_standard = '1155' and p.status not in ${undone}`;

/** What a mint's rules read of its contract. */
const contractOfMint = jsonObject({
  id: contracts.id,
  chainId: contracts.chainId,
  contractAddress: contracts.contractAddress,
  ercStandard: contracts.ercStandard,
  contractType: contracts.contractType,
  currentOwnerAddress: contracts.currentOwnerAddress,
  registeredAtBlock: contracts.registeredAtBlock,
});

/** The ERC-1155 token of which unfinished orders use the row's metadata. */
const tokenOfUnits = sql<{ readonly contractAddress: Address; readonly tokenId: string } | null>`(
  select jsonb_build_object('contractAddress', p.contract_address, 'tokenId', p.token_id)
  from ${orders} p where ${unitsOf(sql`${metadata.id}`)} and p.status in ${underWay} limit 1
)`;

/** What a mint's rules read of its metadata, and who uses that. */
const documentOfMint = jsonObject({
  document: jsonObject({
    id: metadata.id,
    chainId: metadata.chainId,
    contractAddress: metadata.contractAddress,
    tokenId: metadata.tokenId,
    schemaVersion: metadata.schemaVersion,
    standardFields: metadata.standardFields,
    metadataHash: metadata.metadataHash,
  }),
  occupantId: sql<string | null>`${orders.id}`,
  hasUnits: sql<boolean>`exists (select from ${orders} p where ${unitsOf(sql`${metadata.id}`)})`,
  units: tokenOfUnits,
});

/** A certificate's document, fixed by the first mint of its id. */
interface CertificateDocument {
  readonly tokenUri: string;
  readonly metadataHash: Hex;
}

/** An order of a token in one of these states, `name` in a statement that joins it with the token `v` of a contract. */
function orderOfToken(name: string, states: SQL): SQL {
  // Neither of a standard ERC-1155 token, of which there may be millions; and of a certificate one tells, because all
  // its mints name one document.
  return sql`left join lateral (
    select mint.id, mint.details from ${orders} mint
    where (${contracts.ercStandard} = '721' or ${contracts.contractType} = 'certificate') and ${isMint('mint')}
      and mint.contract_address = ${contracts.contractAddress} and mint.token_id = v."tokenId"
      and mint.contract_id = ${contracts.id} and mint.status ${states}
    limit 1) ${sql.raw(name)} on true`;
}

/** What a mint's rules read of its token: the orders of an ERC-721 token, and the document of a certificate. */
const tokenOfMint = jsonObject({
  contractId: contracts.id,
  tokenId: sql<string>`v."tokenId"`,
  orderId: sql<string | null>`case ${contracts.ercStandard} when '721' then unfinished.id end`,
  wasMinted: sql<boolean>`(${contracts.ercStandard} = '721' and confirmed.id is not null)`,
  document: sql<CertificateDocument | null>`case ${contracts.contractType} when 'certificate' then
    coalesce(confirmed.details, unfinished.details) - 'follows' end`,
});

/**
 * The statement that reads the account's records for any number of mints: their contracts and metadata, and the orders
 * that already use these.
 * @returns a statement with one row.
 */
export function selectMintRecords(db: TenantDb, targets: readonly MintPlace[]) {
  const addresses = [...new Set(targets.map(({ contractAddress }) => contractAddress))];
  const metadataIds = [...new Set(targets.flatMap(({ metadataId }) => metadataId ?? []))];
  const named = targets.map(({ chainId, contractAddress, tokenId }) => ({ chainId, contractAddress, tokenId }));
  const places = valuesTable('v', { chainId: 'text', contractAddress: 'text', tokenId: 'text' }, named);
  return tagged(
    'find-mint-records',
    db.sql
      .select({
        contracts: jsonArray(
          contractOfMint,
          sql`from ${contracts} where ${isActive(db)} and ${inArray(contracts.contractAddress, addresses)}`,
        ),
        documents: jsonArray(
          documentOfMint,
          sql`from ${metadata} left join ${orders}
              on ${ofResource('minting-orders')} and ${orders.metadataId} = ${metadata.id} and ${occupies}
            where ${metadata.corporateAccountId} = ${db.accountId} and ${inArray(metadata.id, metadataIds)}`,
        ),
        tokens: jsonArray(
          tokenOfMint,
          sql`from ${contracts} join ${places}
            on ${contracts.chainId} = v."chainId" and ${contracts.contractAddress} = v."contractAddress"
            ${orderOfToken('confirmed', sql`= 'CONFIRMED'`)} ${orderOfToken('unfinished', sql`in ${underWay}`)}
            where ${isActive(db)}`,
        ),
      })
      .from(sql`(select) as once`),
  );
}

export type MintRecords = Awaited<ReturnType<typeof selectMintRecords>>[number];

/** Serializes requests that use the same metadata; the first statement of a batch that inserts orders. */
export function lockMetadata(db: TenantDb, metadataIds: readonly string[]) {
  const ids = [...new Set(metadataIds)];
  return db.sql.execute(
    tagged(
      'lock-metadata',
      sql`select from ${metadata} where ${inArray(metadata.id, ids)} order by id for no key update`,
    ),
  );
}

/**
 * A condition that is true for a new order `o` whose metadata is in use: by an order of the other standard that has
 * succeeded or still may, by an unfinished ERC-1155 order of another token, or by another token that it has been linked
 * to in the meantime. The unique index covers ERC-721 metadata of two ERC-721 orders. All unfinished ERC-1155 orders of
 * a document are of one token, so that one of them tells which.
 */
export const isOccupied = sql`(
  (select (p.chain_id, p.contract_address, p.token_id) <> (o.chain_id, o.contract_address, o.token_id)
    from ${orders} p where ${unitsOf(sql`o.metadata_id`)} and p.status in ${underWay} and p.id <> o.id limit 1)
  or o.erc_standard = '721' and exists (select from ${orders} p where ${unitsOf(sql`o.metadata_id`)})
  or o.erc_standard = '1155' and exists (
    select from ${orders} p
    where ${isMint('p')} and p.metadata_id = o.metadata_id and p.erc_standard = '721' and p.status not in ${undone})
  or (o.chain_id, o.contract_address, o.token_id) <> (
    select m.chain_id, m.contract_address, m.token_id from metadata m where m.id = o.metadata_id))`;

/**
 * Stores new orders with their transactions.
 * @param walletAddress The account's wallet.
 * @returns the stored orders, without those whose metadata another order uses.
 * @throws {LimitExceeded} which says of each that the account's limits refuse; none is stored.
 */
export async function insertOrders(
  db: AcceptingDb,
  kind: AcceptedKind,
  walletAddress: Address,
  news: readonly NewMintingOrder[],
  now: Date,
): Promise<MintingOrder[]> {
  if (news.length === 0) return [];
  const statements = {
    lock: lockMetadata(
      db,
      news.map(({ metadataId }) => metadataId),
    ),
    ...acceptOrders(
      db,
      kind,
      news.map((order) => acceptedMint(order, walletAddress)),
      now,
      { where: sql`${isOccupied} is not true`, onConflict: sql`on conflict do nothing` },
    ),
  };
  const ids = news.map(({ id }) => id);
  const changed = sql`select ${orders.id} from ${orders} where ${inArray(orders.id, ids)}`;
  const { stored } = await runChange(db, statements, changed);
  const storedIds = new Set(stored.rows.map(({ id }) => id));
  return news.filter(({ id }) => storedIds.has(id)).map((order) => mintingOrders.fresh(order, kind.name, db.accountId));
}

/** The statement that aborts the batch with `metadata_occupied` if an order that it has stored {@link isOccupied}. */
export function refuseOccupied(db: TenantDb, orderId: string) {
  const refusal = abortTransaction('metadata_occupied');
  return db.sql.execute(
    tagged('guard-occupied', sql`select ${refusal} from ${orders} o where o.id = ${orderId} and ${isOccupied}`),
  );
}

/** A new order, for `acceptOrders`. */
export function acceptedMint(order: NewMintingOrder, walletAddress: Address) {
  const { id: orderId, chainId, registeredAtBlock, contractId, createdAt } = order;
  const notBeforeBlock = registeredAtBlock ?? undefined;
  return { order, orderId, chainId, walletAddress, notBeforeBlock, after: deploymentOf(contractId), createdAt };
}

/** How the engine reads the orders of mints by the account's wallet. */
export const mintReading: OrderReading<MintOrder> = joinedReading(
  mintingOrders,
  joinedColumns,
  sql`${contracts} where ${isContractOfOrder}`,
);

/** The newest `limit` orders of a token. */
export async function ordersOfToken(
  db: TenantDb,
  contractAddress: LowerCaseAddress,
  tokenId: string,
  limit: number,
): Promise<MintingOrder[]> {
  const rows = await db.sql
    .select(
      replyColumns([
        { name: MINT, dependency: followingDependency },
        { name: RELAY_MINT, dependency: signerDependency },
      ]),
    )
    .from(orders)
    .where(
      and(
        ofForm(db, mintingOrders),
        eq(orders.contractAddress, contractAddress),
        eq(orders.tokenId, tokenId),
        ofVisibleChain(orders, db),
      ),
    )
    .orderBy(desc(orders.id))
    .limit(limit);
  return rows.map((row) => orderOf(mintingOrders, row));
}

/** The statement that counts the orders of a token, including past ones, and names the metadata that it is served. */
export function selectTokenUse(
  db: TenantDb,
  target: MintPlace,
): Rows<{ readonly orders: number; readonly metadataId: string | null }> {
  const { chainId, contractAddress, tokenId } = target;
  return db.sql
    .select({
      orders: count(),
      metadataId: sql<string | null>`(
        select m.id from metadata m where m.corporate_account_id = ${db.accountId} and m.chain_id = ${chainId}
          and m.contract_address = ${contractAddress} and m.token_id = ${tokenId} order by m.linked_at desc limit 1
      )`,
    })
    .from(orders)
    .where(
      and(
        ofForm(db, mintingOrders),
        eq(orders.chainId, chainId),
        eq(orders.contractAddress, contractAddress),
        eq(orders.tokenId, tokenId),
      ),
    );
}
