import { and, desc, eq, exists, gt, inArray, isNotNull, not, or, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import {
  runBatch,
  type Condition,
  type Rows,
  type Statement,
  type Statements,
  type SystemDb,
  type TenantDb,
} from '../../platform/database/client.ts';
import { oneColumn } from '../../platform/database/json-rows.ts';
import { valuesTable } from '../../platform/database/values.ts';
import {
  contracts,
  corporateAccounts,
  metadata,
  ofResource,
  orders,
  underWay,
  type ErcStandard,
  type OrderResourceName,
  type TokenDocument,
} from '../../platform/database/schema.ts';
import { isRegistered } from '../contracts/contracts.store.ts';
import { ifItFits } from './if-it-fits.store.ts';
import { tagged } from '../../platform/database/tagged.ts';

/** A document that a confirmed mint links to its token. */
export interface MetadataLink {
  readonly orderId: string;
  readonly metadataId: string;
  readonly contractId: string;
  readonly ercStandard: ErcStandard;
  readonly contractAddress: LowerCaseAddress;
  readonly tokenId: string;
  readonly at: Date;
}

/**
 * The statements before {@link linkMetadata} and {@link unlinkMetadata}: wallets of an account may end mints of one
 * ERC-1155 token at the same time, and the second must see what the first has linked.
 */
export function lockLinked(
  db: SystemDb,
  links: readonly Pick<MetadataLink, 'ercStandard' | 'contractId' | 'metadataId'>[],
): Statements {
  const contractIds = links.flatMap(({ ercStandard, contractId }) => (ercStandard === '1155' ? [contractId] : []));
  const lock = (name: string, table: typeof contracts | typeof metadata, ids: readonly string[]) =>
    ids.length === 0
      ? undefined
      : tagged(
          name,
          db.sql
            .select({ id: table.id })
            .from(table)
            .where(inArray(table.id, [...new Set(ids)]))
            .orderBy(table.id)
            .for('no key update'),
        );
  return {
    contracts: lock('lock-linked-contracts', contracts, contractIds),
    metadata: lock(
      'lock-linked-metadata',
      metadata,
      links.map(({ metadataId }) => metadataId),
    ),
  };
}

/**
 * The statement, for a batch that ends mints, that links documents to their tokens. A linked document keeps its link,
 * as in later mints of an ERC-1155 token. Such a token keeps its document too: of several that were ordered before one
 * was linked, the first to be linked stays, and the mints with the others are CONFIRMED without a link.
 * @param hasEnded Whether the order of a link was ended by this batch.
 */
export function linkMetadata(
  db: SystemDb,
  hasEnded: (orderId: Condition) => Condition,
  links: readonly MetadataLink[],
): Rows<NewlyLinked> {
  const columns = {
    orderId: 'text',
    metadataId: 'text',
    ercStandard: 'text',
    contractAddress: 'text',
    tokenId: 'text',
    at: 'timestamptz',
  } as const;
  const earlier = alias(metadata, 'earlier');
  const hasDocument = (condition?: SQL) =>
    exists(
      db.sql
        .select({ id: earlier.id })
        .from(earlier)
        .where(
          and(sql`${earlier.contractAddress} = v."contractAddress"`, sql`${earlier.tokenId} = v."tokenId"`, condition),
        ),
    );
  const hasItsDocument = hasDocument(eq(earlier.chainId, metadata.chainId));
  // The first document of each token that this batch could link.
  const candidates = sql`(
    select l.*, first_value(l."metadataId") over (partition by l."contractAddress", l."tokenId" order by l."orderId") as "first"
    from ${valuesTable<keyof typeof columns>('l', columns, links)}
    join ${metadata} free on free.id = l."metadataId" and free.contract_address is null
    where ${hasEnded(sql`l."orderId"`)}) as v`;
  return tagged(
    'link-metadata',
    db.sql
      .update(metadata)
      .set({
        contractAddress: sql`v."contractAddress"`,
        tokenId: sql`v."tokenId"`,
        linkedAt: sql`v.at`,
        updatedAt: sql`v.at`,
      })
      .from(candidates)
      .where(
        and(
          sql`${metadata.id} = v."metadataId"`,
          sql`${metadata.contractAddress} is null`,
          or(sql`v."ercStandard" = '721'`, and(sql`v."metadataId" = v."first"`, not(hasItsDocument))),
        ),
      )
      .returning({
        id: metadata.id,
        contractAddress: sql<LowerCaseAddress>`${metadata.contractAddress}`,
        tokenId: sql<string>`${metadata.tokenId}`,
        isFirst: sql<boolean>`not ${hasDocument()}`,
      }),
  );
}

/** A condition: the document's token, minted again after it was burned, has had another one linked since. */
function isRelinked(db: SystemDb | TenantDb): Condition {
  const later = alias(metadata, 'later');
  return exists(
    db.sql
      .select({ id: later.id })
      .from(later)
      .where(
        and(
          eq(later.contractAddress, metadata.contractAddress),
          eq(later.tokenId, metadata.tokenId),
          eq(later.chainId, metadata.chainId),
          gt(later.linkedAt, metadata.linkedAt),
        ),
      ),
  );
}

const linkedColumns = {
  contractAddress: sql<LowerCaseAddress>`${metadata.contractAddress}`,
  tokenId: sql<string>`${metadata.tokenId}`,
  document: metadata.standardFields,
  isCertificate: sql<boolean>`${metadata.metadataHash} is not null`,
};

/**
 * A condition: no contract is registered or deployed at the document's address on another chain. Until its deployment
 * has ended, a contract's address can be registered elsewhere, and tokens be minted there.
 */
const isOfContract = sql`not exists (
  select from contracts c where c.contract_address = ${metadata.contractAddress} and c.chain_id <> ${metadata.chainId})`;

/** The current version of each of these documents that the public endpoint serves. */
export async function findVersions(
  db: SystemDb | TenantDb,
  documents: readonly Pick<NewlyLinked, 'id'>[],
): Promise<DocumentVersion[]> {
  const rows = await db.sql
    .select({ version: oneColumn({ id: metadata.id, ...linkedColumns, updatedAt: metadata.updatedAt }) })
    .from(metadata)
    .where(
      and(
        inArray(
          metadata.id,
          documents.map(({ id }) => id),
        ),
        isNotNull(metadata.contractAddress),
        isOfContract,
        not(isRelinked(db)),
      ),
    );
  return rows.map(({ version }) => version);
}

/**
 * The ids of the documents that have changed since the given times, of whose tokens an order has burned something, or
 * whose token has had another document linked since.
 */
export async function findOutdated(
  db: SystemDb | TenantDb,
  documents: readonly Pick<DocumentVersion, 'id' | 'updatedAt'>[],
): Promise<ReadonlySet<string>> {
  const known = documents.map(({ id, updatedAt }) => ({ id, updatedAt }));
  const rows = await db.sql
    .select({ id: metadata.id })
    .from(metadata)
    .innerJoin(valuesTable('v', { id: 'text', updatedAt: 'timestamptz' }, known), sql`v.id = ${metadata.id}`)
    .where(
      or(sql`${metadata.updatedAt} <> v."updatedAt"`, isRelinked(db), sql`exists (${ordersOf('burn-orders', 1)})`),
    );
  return new Set(rows.map(({ id }) => id));
}

/**
 * The statement, for a batch that reopens mints, that removes the links of {@link linkMetadata} unless another
 * confirmed order uses them.
 * @param wasReopened Whether an order was reopened by this batch.
 */
export function unlinkMetadata(
  db: SystemDb,
  wasReopened: (orderId: Condition) => Condition,
  links: readonly Pick<MetadataLink, 'orderId' | 'metadataId'>[],
): Statement {
  return tagged(
    'unlink-metadata',
    db.sql
      .update(metadata)
      .set({ contractAddress: null, tokenId: null, linkedAt: null })
      .from(valuesTable('v', { orderId: 'text', metadataId: 'text' }, links))
      .where(
        and(
          sql`${metadata.id} = v."metadataId"`,
          wasReopened(sql`v."orderId"`),
          sql`not exists (
          select 1 from ${orders} o where o.${ofResource('minting-orders')} and o.metadata_id = ${metadata.id} and o.status = 'CONFIRMED')`,
        ),
      ),
  );
}

/** A token, as in its public URL. */
export interface Token {
  readonly contractAddress: LowerCaseAddress;
  /** Decimal. */
  readonly tokenId: string;
}

export interface LinkedDocument extends Token {
  readonly document: TokenDocument;
  /** Whether the document is a certificate, which never changes. */
  readonly isCertificate: boolean;
}

/** A token with its document, and what it takes to find out whether any of it is left. */
export interface MintedDocument extends LinkedDocument {
  readonly chainId: string;
  readonly linkedAt: Date;
  /** Null if no record of the contract is left. */
  readonly ercStandard: ErcStandard | null;
  /**
   * Of an ERC-1155 token whose orders are all that its contract has done: whether they have burned as many units as
   * they have minted.
   */
  readonly isUsedUp: boolean;
  /** The block of the newest of its burn orders; null if there is none. */
  readonly burnedAtBlock: number | null;
}

/** A token to which a document was linked just now. */
export interface NewlyLinked extends Token {
  /** Of the document. */
  readonly id: string;
  /** Whether no document was linked before to a token with this address and id, on any chain. */
  readonly isFirst: boolean;
}

export interface DocumentVersion extends LinkedDocument {
  readonly id: string;
  readonly updatedAt: Date;
}

/**
 * Reads what the public may know about tokens, whatever their account.
 * @param chainIds The chains on which registered contracts are looked up.
 * @returns `linked`: the document last linked to each token; `beingMinted`: tokens with an unfinished order; `known`:
 *   contracts that are registered on one of the chains, or have a document on any.
 */
export async function findLinkedDocuments(
  db: SystemDb | TenantDb,
  tokens: readonly Token[],
  chainIds: readonly string[],
): Promise<{
  readonly linked: MintedDocument[];
  readonly beingMinted: Token[];
  readonly known: { readonly contractAddress: LowerCaseAddress }[];
}> {
  const names = tokens.map(({ contractAddress, tokenId }) => ({ contractAddress, tokenId }));
  const addresses = [...new Set(tokens.map(({ contractAddress }) => contractAddress))];
  const wanted = valuesTable('v', { contractAddress: 'text', tokenId: 'text' }, names);
  // In this order, a mint that ends between the statements is still found by one of them.
  return await runBatch(db, {
    beingMinted: db.sql
      .select({
        contractAddress: sql<LowerCaseAddress>`${orders.contractAddress}`,
        tokenId: sql<string>`${orders.tokenId}`,
      })
      .from(orders)
      .innerJoin(wanted, isToken(orders))
      .where(sql`${ofResource('minting-orders')} and ${orders.status} in ${underWay}`),
    linked: tagged(
      'find-linked-documents',
      db.sql
        .selectDistinctOn([metadata.contractAddress, metadata.tokenId], {
          ...linkedColumns,
          chainId: metadata.chainId,
          linkedAt: sql<Date>`${metadata.linkedAt}`.mapWith(metadata.linkedAt),
          ercStandard: sql<ErcStandard | null>`${contracts.ercStandard}`,
          isUsedUp,
          burnedAtBlock,
        })
        .from(metadata)
        .innerJoin(wanted, isToken(metadata))
        .leftJoin(
          contracts,
          and(eq(contracts.chainId, metadata.chainId), eq(contracts.contractAddress, metadata.contractAddress)),
        )
        .where(isOfContract)
        .orderBy(metadata.contractAddress, metadata.tokenId, desc(metadata.linkedAt)),
    ),
    known: db.sql
      .select({ contractAddress: sql<LowerCaseAddress>`v."contractAddress"` })
      .from(
        valuesTable(
          'v',
          { contractAddress: 'text' },
          addresses.map((contractAddress) => ({ contractAddress })),
        ),
      )
      .where(
        or(
          isRegistered(db, sql`v."contractAddress"`, chainIds),
          exists(
            db.sql
              .select({ id: metadata.id })
              .from(metadata)
              .where(eq(metadata.contractAddress, sql`v."contractAddress"`)),
          ),
        ),
      ),
  });
}

/** More orders of a token than this are not added up. */
const MAX_SUMMED = 10_000;

/**
 * Whether the orders of an ERC-1155 token have burned all units that they have minted. Only the contracts are concerned
 * that this service has deployed and whose owner is still the account's wallet: nobody else can have minted.
 */
const isUsedUp = sql<boolean>`(
  ${contracts.ercStandard} = '1155' and ${contracts.registeredAtBlock} is null
  and exists (select from ${corporateAccounts} a where a.id = ${contracts.corporateAccountId}
    and lower(a.wallet_address) = lower(${contracts.currentOwnerAddress}))
  and exists (${ordersOf('burn-orders', 1)})
  and (select count(*) <= ${MAX_SUMMED} and sum(amount) = (
      select sum(amount) from (${ordersOf('burn-orders', MAX_SUMMED)}) burned) from (${ordersOf('minting-orders', MAX_SUMMED + 1)}) minted)
)`;

/** Burns of a token that end out of the order in which they were accepted are not further apart than this. */
const MAX_COMPARED = 20;

/** The highest block of the newest burn orders of a document's token. */
const burnedAtBlock = sql<number | null>`(
  select max(block_number) from (${ordersOf('burn-orders', MAX_COMPARED)}) burned
)`.mapWith(orders.blockNumber);

/** The newest confirmed orders of the token of a document, at most so many. */
function ordersOf(resource: OrderResourceName, limit: number): SQL {
  return sql`select o.id, o.amount, o.block_number from ${orders} o where o.${ofResource(resource)} and o.contract_address = ${metadata.contractAddress}
    and o.token_id = ${metadata.tokenId} and o.chain_id = ${metadata.chainId} and o.status = 'CONFIRMED'
    order by o.id desc limit ${sql.raw(String(limit))}`;
}

/** Joins rows with the tokens in `v`. */
function isToken(table: typeof metadata | typeof orders): SQL {
  return sql`${table.contractAddress} = v."contractAddress" and ${table.tokenId} = v."tokenId"`;
}

/**
 * The document that the public endpoint serves for each token.
 * @returns by the token's index; tokens without a document are left out, and those whose documents do not fit into a
 *   page.
 */
export async function findServedDocuments(
  db: TenantDb,
  tokens: readonly { readonly chainId: string; readonly contractAddress: string; readonly tokenId: string }[],
): Promise<ReadonlyMap<number, TokenDocument>> {
  if (tokens.length === 0) return new Map();
  const columns = { position: 'integer', chainId: 'text', contractAddress: 'text', tokenId: 'text' } as const;
  const served = db.sql
    .selectDistinctOn([sql`v.position`], {
      position: sql<number>`v.position`.as('position'),
      document: sql<TokenDocument>`${metadata.standardFields}`.as('document'),
    })
    .from(metadata)
    .innerJoin(
      valuesTable(
        'v',
        columns,
        tokens.map(({ chainId, contractAddress, tokenId }, position) => ({
          position,
          chainId,
          contractAddress,
          tokenId,
        })),
      ),
      and(isToken(metadata), sql`${metadata.chainId} = v."chainId"`),
    )
    .orderBy(sql`v.position`, desc(metadata.linkedAt))
    .as('served');
  const { position, document } = served;
  const rows = await db.sql.select({ position, document: ifItFits(document, sql`${position}`) }).from(served);
  return new Map(rows.flatMap((row) => (row.document === null ? [] : [[row.position, row.document]])));
}
