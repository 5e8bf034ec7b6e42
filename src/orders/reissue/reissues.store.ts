import { and, desc, eq, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { acceptOrders, type AcceptingDb } from '../../limits/limits.store.ts';
import type { Statement, TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { metadata, orders } from '../../platform/database/schema.ts';
import type { RevocationDraft } from '../certificate-revocation/accept-certificate-revocation.ts';
import {
  certificateRevocationKind,
  type CertificateRevocation,
} from '../certificate-revocation/certificate-revocation-kind.ts';
import { refuseEqual } from '../equal-orders.store.ts';
import { mintKind } from '../mint/mint-kind.ts';
import {
  acceptedMint,
  lockMetadata,
  refuseOccupied,
  type MintingOrder,
  type MintPlace,
  type NewMintingOrder,
} from '../mint/minting-orders.store.ts';
import { ofForm } from '../orders.store.ts';
import { certificateRevocations, mintingOrders } from '../order-forms.ts';

/** The revocation of a certificate, and the mint to another holder that follows it. */
export interface Reissue {
  readonly revocation: CertificateRevocation;
  readonly mint: MintingOrder;
}

/**
 * The document of a certificate that the account has minted here, as its contract has it; undefined: it has not. All
 * mints of a certificate have the same.
 */
export async function findDocument(db: TenantDb, { chainId, contractAddress, tokenId }: MintPlace) {
  const [found] = await db.sql
    .select({
      metadataId: sql<string>`${orders.metadataId}`,
      tokenUri: sql<string>`${orders.details}->>'tokenUri'`,
      metadataHash: sql<Hex>`${orders.details}->>'metadataHash'`,
    })
    .from(orders)
    .where(
      and(
        ofForm(db, mintingOrders),
        eq(orders.chainId, chainId),
        eq(orders.contractAddress, contractAddress),
        eq(orders.tokenId, tokenId),
        eq(orders.status, 'CONFIRMED'),
      ),
    )
    .orderBy(desc(orders.id))
    .limit(1);
  return found;
}

/**
 * Stores both orders with their transactions, or none. An ERC-721 mint has a copy of the document, with the mint's id,
 * since no two can have one.
 * @param document The mint, with the id of the certificate's document.
 * @throws {LimitExceeded}; `order_under_way` if an equal revocation is; `metadata_occupied` if the document of an
 *   ERC-1155 mint is in use for another token.
 */
export async function insertReissue(
  db: AcceptingDb,
  walletAddress: Address,
  revocation: Omit<RevocationDraft, 'id'>,
  document: NewMintingOrder,
  now: Date,
): Promise<Reissue> {
  const { id: orderId, chainId, createdAt } = revocation.order;
  const isSingle = document.ercStandard === '721';
  const mint = { ...document, metadataId: isSingle ? document.id : document.metadataId, follows: orderId };
  const order = { ...revocation.order, followedBy: mint.id };
  const accepted = { order, orderId, chainId, createdAt, ...revocation.transaction };
  const unlessStored = { onConflict: sql`on conflict (id) do nothing` };
  await runChange(
    db,
    {
      equal: refuseEqual(db, certificateRevocations.resource, [revocation]),
      lock: lockMetadata(db, [document.metadataId]),
      copy: isSingle ? copyDocument(db, document.metadataId, mint.metadataId) : undefined,
      revocation: acceptOrders(db, certificateRevocationKind, [accepted], now, unlessStored),
      mint: acceptOrders(db, mintKind, [acceptedMint(mint, walletAddress)], now, unlessStored),
      guardOccupied: refuseOccupied(db, mint.id),
    },
    sql`select unnest(array[${orderId}, ${mint.id}]) as id`,
  );
  return {
    revocation: certificateRevocations.fresh(order, certificateRevocationKind.name, db.accountId),
    mint: mintingOrders.fresh(mint, mintKind.name, db.accountId),
  };
}

function copyDocument(db: TenantDb, id: string, copyId: string): Statement {
  return db.sql.execute(sql`
    insert into ${metadata} (id, corporate_account_id, chain_id, schema_version, standard_fields, metadata_hash)
    select ${copyId}, corporate_account_id, chain_id, schema_version, standard_fields, metadata_hash
    from ${metadata} where id = ${id} and corporate_account_id = ${db.accountId}
    on conflict (id) do nothing`);
}
