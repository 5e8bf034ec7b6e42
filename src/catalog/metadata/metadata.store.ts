import { and, desc, eq, exists, inArray, isNull, or, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Address } from 'viem';
import type { Condition, Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { recordset } from '../../platform/database/values-table.ts';
import { contracts, metadata, mintingOrders } from '../../platform/database/schema.ts';
import type { ContractType } from '../../platform/database/schema.ts';
import type { PageRange } from '../../core/paging.ts';

export type Metadata = typeof metadata.$inferSelect;
export type NewMetadata = Omit<typeof metadata.$inferInsert, 'corporateAccountId'>;

/** A document that a confirmed mint binds to its token. */
export interface MetadataLink {
  readonly orderId: string;
  readonly metadataId: string;
  readonly contractAddress: Address;
  readonly tokenId: string;
  readonly at: Date;
}

/** Stores a document; one of that id which is there already is left as it is. */
export async function insertMetadata(db: TenantDb, values: NewMetadata): Promise<Metadata> {
  const [, [row]] = await db.sql.batch([
    db.sql
      .insert(metadata)
      .values({ ...values, corporateAccountId: db.accountId })
      .onConflictDoNothing({ target: metadata.id }),
    db.sql
      .select()
      .from(metadata)
      .where(and(eq(metadata.id, values.id), eq(metadata.corporateAccountId, db.accountId))),
  ]);
  if (row === undefined) throw new Error('The insert of metadata returned no row');
  return row;
}

/** What a list of metadata is narrowed to. */
export interface MetadataFilter {
  readonly chainId?: string | undefined;
  /** Lower case. */
  readonly contractAddress?: Address | undefined;
}

/** A page of the account's documents, newest first. */
export function listMetadata(db: TenantDb, { chainId, contractAddress }: MetadataFilter, page: PageRange) {
  return db.sql
    .select()
    .from(metadata)
    .where(
      and(
        inPage(metadata, db, page),
        chainId === undefined ? undefined : eq(metadata.chainId, chainId),
        contractAddress === undefined ? undefined : eq(metadata.contractAddress, contractAddress),
      ),
    )
    .orderBy(desc(metadata.id))
    .limit(page.take);
}

/**
 * The statement of an ending that binds documents to their tokens. A document that is bound already stays where it is: an
 * ERC-1155 token's later mints find it so.
 * @param hasEnded Whether the order of a link was ended by this very batch.
 */
export function linkMetadata(
  db: SystemDb,
  hasEnded: (orderId: Condition) => Condition,
  links: readonly MetadataLink[],
): Statement {
  const shape = {
    orderId: 'text',
    metadataId: 'text',
    contractAddress: 'text',
    tokenId: 'text',
    at: 'timestamptz',
  } as const;
  return db.sql
    .update(metadata)
    .set({
      contractAddress: sql`v."contractAddress"`,
      tokenId: sql`v."tokenId"`,
      linkedAt: sql`v.at`,
      updatedAt: sql`v.at`,
    })
    .from(recordset('v', shape, links))
    .where(
      and(sql`${metadata.id} = v."metadataId"`, sql`${metadata.contractAddress} is null`, hasEnded(sql`v."orderId"`)),
    );
}

/**
 * The statement of a reopening that takes back what {@link linkMetadata} bound, where no other confirmed order stands behind it.
 * @param wasReopened Whether an order was reopened by this very batch.
 */
export function unlinkMetadata(
  db: SystemDb,
  wasReopened: (orderId: Condition) => Condition,
  links: readonly Pick<MetadataLink, 'orderId' | 'metadataId'>[],
): Statement {
  const rows = recordset(
    'v',
    { orderId: 'text', metadataId: 'text' },
    links.map(({ orderId, metadataId }) => ({ orderId, metadataId })),
  );
  return db.sql
    .update(metadata)
    .set({ contractAddress: null, tokenId: null, linkedAt: null })
    .from(rows)
    .where(
      and(
        sql`${metadata.id} = v."metadataId"`,
        wasReopened(sql`v."orderId"`),
        sql`not exists (
          select 1 from ${mintingOrders} o where o.metadata_id = ${metadata.id} and o.status = 'CONFIRMED')`,
      ),
    );
}

/**
 * Writes a status to each of its places in one statement, so that two that come at once leave all of them equal.
 * @returns undefined where the account has no such document, or it is a certificate.
 */
export async function updateStatus(db: TenantDb, id: string, status: string, now: Date): Promise<Metadata | undefined> {
  const value = sql`to_jsonb(${status}::text)`;
  const { attributes, standardFields, utility } = metadata;
  const traits = statusTraitSet(sql`${standardFields} -> 'attributes'`, 'trait_type', value);
  const [row] = await db.sql
    .update(metadata)
    .set({
      currentStatus: status,
      attributes: statusTraitSet(sql`${attributes}`, 'traitType', value),
      utility: sql`jsonb_set(${utility}, '{data,status}', ${value})`,
      standardFields: sql`jsonb_set(jsonb_set(${standardFields}, '{utility,data,status}', ${value}), '{attributes}', ${traits})`,
      updatedAt: now,
    })
    .where(and(eq(metadata.id, id), eq(metadata.corporateAccountId, db.accountId), isNull(metadata.metadataHash)))
    .returning();
  return row;
}

/** A list of traits with this status: in the Status trait that it has, or in one at its end. */
function statusTraitSet(traits: SQL, nameKey: 'traitType' | 'trait_type', value: SQL): SQL {
  const isStatus = sql`trait ->> ${sql.raw(`'${nameKey}'`)} = 'Status'`;
  const statusTrait = sql`jsonb_build_object(${sql.raw(`'${nameKey}'`)}, 'Status', 'value', ${value})`;
  return sql`(
    select coalesce(jsonb_agg(case when ${isStatus} then ${statusTrait} else trait end order by place), '[]')
      || case when coalesce(bool_or(${isStatus}), false) then '[]' else jsonb_build_array(${statusTrait}) end
    from jsonb_array_elements(${traits}) with ordinality as traits(trait, place)
  )`;
}

export async function findMetadata(db: TenantDb, id: string): Promise<Metadata | undefined> {
  const [row] = await db.sql
    .select()
    .from(metadata)
    .where(and(eq(metadata.id, id), eq(metadata.corporateAccountId, db.accountId)));
  return row;
}

/** A token, as the public names it. */
export interface Token {
  /** Lower case. */
  readonly contractAddress: Address;
  /** Decimal. */
  readonly tokenId: string;
}

/** The document of a token. */
export interface BoundDocument extends Token {
  readonly document: Metadata['standardFields'];
  readonly contractType: ContractType | null;
}

/**
 * The documents of tokens, for anyone: the one that was bound to each last. And those of the tokens that are being minted.
 * @param chainIds The chains on which `known`, the contracts that are registered, are looked for. One that has a document
 *   is known on any chain.
 */
export async function findBoundDocuments(
  db: SystemDb | TenantDb,
  tokens: readonly Token[],
  chainIds: readonly string[],
): Promise<{
  readonly bound: BoundDocument[];
  readonly beingMinted: Token[];
  readonly known: { readonly contractAddress: Address }[];
}> {
  const names = tokens.map(({ contractAddress, tokenId }) => ({ contractAddress, tokenId }));
  const addresses = [...new Set(tokens.map(({ contractAddress }) => contractAddress))];
  const wanted = recordset('v', { contractAddress: 'text', tokenId: 'text' }, names);
  // In this order: a mint that ends in between is found in either.
  const [beingMinted, bound, known] = await db.sql.batch([
    db.sql
      .select({ contractAddress: mintingOrders.contractAddress, tokenId: mintingOrders.tokenId })
      .from(mintingOrders)
      .innerJoin(wanted, isToken(mintingOrders))
      .where(inArray(mintingOrders.status, ['PENDING', 'PROCESSING', 'SENT'])),
    db.sql
      .selectDistinctOn([metadata.contractAddress, metadata.tokenId], {
        contractAddress: sql<Address>`${metadata.contractAddress}`,
        tokenId: sql<string>`${metadata.tokenId}`,
        document: metadata.standardFields,
        contractType: contracts.contractType,
      })
      .from(metadata)
      .innerJoin(wanted, isToken(metadata))
      .innerJoin(
        contracts,
        and(eq(contracts.chainId, metadata.chainId), eq(contracts.contractAddress, metadata.contractAddress)),
      )
      .orderBy(metadata.contractAddress, metadata.tokenId, desc(metadata.linkedAt)),
    db.sql
      .select({ contractAddress: sql<Address>`v."contractAddress"` })
      .from(
        recordset(
          'v',
          { contractAddress: 'text' },
          addresses.map((contractAddress) => ({ contractAddress })),
        ),
      )
      .where(
        or(
          exists(
            db.sql
              .select({ id: contracts.id })
              .from(contracts)
              .where(
                and(inArray(contracts.chainId, [...chainIds]), eq(contracts.contractAddress, sql`v."contractAddress"`)),
              ),
          ),
          exists(
            db.sql
              .select({ id: metadata.id })
              .from(metadata)
              .where(eq(metadata.contractAddress, sql`v."contractAddress"`)),
          ),
        ),
      ),
  ]);
  return { bound, beingMinted, known };
}

/** Whether a row is of a token of the list `v`. */
function isToken(table: typeof metadata | typeof mintingOrders): SQL {
  return sql`${table.contractAddress} = v."contractAddress" and ${table.tokenId} = v."tokenId"`;
}
