import { and, count, desc, eq, inArray, lt, ne, sql, type SQL } from 'drizzle-orm';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { VersionRange } from '../../core/version-paging.ts';
import type { Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import {
  collectionVersions,
  contracts,
  corporateAccounts,
  metadata,
  type CollectionDocument,
  type ContractType,
  type ErcStandard,
} from '../../platform/database/schema.ts';
import type { CreatedContract, CreationRecord } from '../contracts/creation-call.ts';
import { creationColumns, forwarders, isForwarderOf } from '../contracts/deployments.store.ts';
import { tagged } from '../../platform/database/tagged.ts';

export type CollectionVersion = typeof collectionVersions.$inferSelect;

/** The most versions of a collection's metadata within 24 hours. */
export const VERSIONS_PER_DAY = 100;

const DAY = sql.raw(`interval '1 day'`);

/**
 * The statement that reads versions of what a contract of the account says of its collection, newest first.
 * @param before Only versions below this one.
 */
export function findVersions(
  db: TenantDb,
  contractId: string,
  { before, limit }: VersionRange,
): Rows<CollectionVersion> {
  return db.sql
    .select()
    .from(collectionVersions)
    .where(and(ofContract(db, contractId), before === undefined ? undefined : lt(collectionVersions.version, before)))
    .orderBy(desc(collectionVersions.version))
    .limit(limit);
}

function ofContract(db: TenantDb, contractId: string): SQL | undefined {
  return and(eq(collectionVersions.contractId, contractId), eq(collectionVersions.corporateAccountId, db.accountId));
}

/** A collection after a version was tried to be stored. */
export interface TriedVersion {
  /** The current version; undefined if there is none. */
  readonly current: CollectionVersion | undefined;
  /** Whether it is the one that was tried. */
  readonly isMade: boolean;
  /** When another one may be possible, if those of a day have reached {@link VERSIONS_PER_DAY}; otherwise null. */
  readonly nextAt: Date | null;
}

/**
 * Stores a version of what a contract of the account says of its collection, unless the current one is not the one
 * before it, or a day has had too many.
 */
export async function insertVersion(
  db: TenantDb,
  {
    id,
    contractId,
    version,
    document,
    createdAt,
  }: Pick<CollectionVersion, 'id' | 'contractId' | 'version' | 'document' | 'createdAt'>,
): Promise<TriedVersion> {
  const asked = db.asked?.row();
  const now = sql`${createdAt.toISOString()}::timestamptz`;
  const nextAt = sql`(
    select case when count(*) = ${VERSIONS_PER_DAY} then min(latest.created_at) + ${DAY} end
    from (
      select created_at from collection_versions v where v.contract_id = ${contractId} and v.created_at > ${now} - ${DAY}
      order by v.version desc limit ${VERSIONS_PER_DAY}) as latest)`;
  const isNext = sql`${version - 1} = (select coalesce(max(v.version), 0) from collection_versions v where v.contract_id = ${contractId})`;
  const {
    versions: [current],
    limits: [limit],
  } = await runChange(
    db,
    {
      insert: db.sql.execute(sql`
        insert into ${collectionVersions}
          (id, corporate_account_id, contract_id, version, document, created_at, created_by, created_by_key_id)
        select ${id}, ${db.accountId}, ${contractId}, ${version}::integer, ${JSON.stringify(document)}::jsonb, ${now},
          ${asked?.actor ?? null}, ${asked?.keyId ?? null}
        where ${isNext} and ${nextAt} is null
        on conflict (contract_id, version) do nothing`),
      versions: findVersions(db, contractId, { before: undefined, limit: 1 }),
      limits: db.sql
        .select({ nextAt: sql<Date | null>`${nextAt}`.mapWith(collectionVersions.createdAt) })
        .from(contracts)
        .where(eq(contracts.id, contractId)),
    },
    sql`select ${collectionVersions.id} from ${collectionVersions} where ${and(eq(collectionVersions.id, id), ofContract(db, contractId))}`,
  );
  return { current, isMade: current?.id === id, nextAt: limit?.nextAt ?? null };
}

/** An ACTIVE token contract, and what it says of its collection, whatever its account. */
export interface Collection extends CreationRecord {
  readonly contract: CreatedContract & {
    readonly registeredAtBlock: number | null;
    readonly ercStandard: ErcStandard;
    readonly contractType: ContractType;
  };
  /** Null if it was never set. */
  readonly document: CollectionDocument | null;
}

/** The collection at an address, on one of these chains. */
export async function findCollection(
  db: SystemDb | TenantDb,
  contractAddress: LowerCaseAddress,
  chainIds: readonly string[],
): Promise<Collection | undefined> {
  const { registeredAtBlock } = contracts;
  // Of contracts that are no forwarders.
  const ercStandard = sql<ErcStandard>`${contracts.ercStandard}`;
  const contractType = sql<ContractType>`${contracts.contractType}`;
  const current = db.sql
    .select({ document: collectionVersions.document })
    .from(collectionVersions)
    .where(eq(collectionVersions.contractId, contracts.id))
    .orderBy(desc(collectionVersions.version))
    .limit(1);
  const document = sql<CollectionDocument | null>`(${current})`;
  const [found] = await tagged(
    'find-collection',
    db.sql
      .select({
        ...creationColumns,
        contract: { ...creationColumns.contract, registeredAtBlock, ercStandard, contractType },
        document,
      })
      .from(contracts)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
      .leftJoin(forwarders, isForwarderOf)
      .where(
        and(
          eq(contracts.contractAddress, contractAddress),
          inArray(contracts.chainId, [...chainIds]),
          eq(contracts.status, 'ACTIVE'),
          ne(contracts.ercStandard, 'Forwarder'),
        ),
      ),
  );
  return found;
}

/** The tokens of a contract that have a document. */
interface TokensOf {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
}

/** How many tokens of a contract have a document; of more than `limit` it returns one more than that. */
export async function countTokens(db: SystemDb, { contractAddress }: TokensOf, limit: number): Promise<number> {
  const some = db.sql
    .select({ one: sql`1` })
    .from(metadata)
    .where(eq(metadata.contractAddress, contractAddress))
    .limit(limit + 1)
    .as('some');
  const [row] = await tagged('count-tokens', db.sql.select({ count: count() }).from(some));
  return row?.count ?? 0;
}

/**
 * The ids of tokens of a contract, those that got their documents last first.
 * @param before Only tokens that got theirs before this one; undefined: all.
 */
export async function listTokens(
  db: SystemDb,
  { chainId, contractAddress }: TokensOf,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<string[]> {
  // Of the document that a token got last: before it was burned and minted again, it can have had another one.
  const newest = (name: 'linked_at' | 'id', tokenId: unknown) => sql`(
    select last.${sql.raw(name)} from metadata last
    where last.contract_address = ${contractAddress} and last.token_id = ${tokenId}
    order by last.linked_at desc, last.id desc limit 1)`;
  const rows = await tagged(
    'list-tokens',
    db.sql
      .select({ tokenId: sql<string>`${metadata.tokenId}` })
      .from(metadata)
      .where(
        and(
          eq(metadata.contractAddress, contractAddress),
          eq(metadata.chainId, chainId),
          before === undefined
            ? undefined
            : sql`(${metadata.linkedAt}, ${metadata.id}) < (${newest('linked_at', before)}, ${newest('id', before)})`,
          // One probe of an index for each: a join might compare all tokens, if the statistics are old.
          sql`${metadata.id} = ${newest('id', metadata.tokenId)}`,
        ),
      )
      .orderBy(desc(metadata.linkedAt), desc(metadata.id))
      .limit(limit),
  );
  return rows.map(({ tokenId }) => tokenId);
}
