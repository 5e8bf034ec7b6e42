import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { Statement, SystemDb, TenantDb } from '../../db/client.ts';
import { recordset } from '../../db/recordset.ts';
import { metadata } from '../../db/schema.ts';
import type { PageRange } from '../../http/paging.ts';
import { bySettlement } from '../../transactions/transactions.ts';

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
        eq(metadata.corporateAccountId, db.accountId),
        gte(metadata.id, page.from),
        lt(metadata.id, page.before),
        chainId === undefined ? undefined : eq(metadata.chainId, chainId),
        contractAddress === undefined ? undefined : eq(metadata.contractAddress, contractAddress),
      ),
    )
    .orderBy(desc(metadata.id))
    .limit(page.take);
}

/**
 * The statement of a settle that binds documents to their tokens. A document that is bound already stays where it is: an
 * ERC-1155 token's later mints find it so.
 */
export function linkMetadata(db: SystemDb, settlementId: string, links: readonly MetadataLink[]): Statement {
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
      and(
        sql`${metadata.id} = v."metadataId"`,
        sql`${metadata.contractAddress} is null`,
        bySettlement(settlementId, sql`v."orderId"`),
      ),
    );
}

/** The document of a token, for anyone: the one that was bound to it last. */
export async function findTokenDocument(
  db: SystemDb,
  contractAddress: Address,
  tokenId: string,
): Promise<Pick<Metadata, 'standardFields' | 'metadataHash'> | undefined> {
  const [row] = await db.sql
    .select({ standardFields: metadata.standardFields, metadataHash: metadata.metadataHash })
    .from(metadata)
    .where(and(eq(metadata.contractAddress, contractAddress), eq(metadata.tokenId, tokenId)))
    .orderBy(desc(metadata.linkedAt))
    .limit(1);
  return row;
}
