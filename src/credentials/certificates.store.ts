import { and, asc, eq, max, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Hex } from 'viem';
import { hasPublishedCode, type CreationRecord } from '../catalog/contracts/creation-call.ts';
import { creationColumns, forwarders, isForwarderOf } from '../catalog/contracts/deployments.store.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import { burnedTokens, isBurned } from '../holdings/holdings.store.ts';
import { runBatch, type SystemDb } from '../platform/database/client.ts';
import {
  contracts,
  corporateAccounts,
  credentialStatuses,
  metadata,
  ofResource,
  orders,
  type ErcStandard,
  type OrderResourceName,
} from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import type { Issuer } from './issuer-did.ts';

/** A certificate, as in its public URL. */
export interface CertificateKey {
  readonly contractAddress: LowerCaseAddress;
  /** Decimal. */
  readonly tokenId: string;
}

/** The issuer of what an account has issued, and how its contract was created. */
export const issuanceColumns = {
  issuer: {
    id: corporateAccounts.issuerId,
    name: corporateAccounts.issuerName,
    logoUrl: corporateAccounts.issuerLogoUrl,
    domain: corporateAccounts.issuerDomain,
    publishesDid: corporateAccounts.issuerPublishesDid,
  },
  ...creationColumns,
};

/**
 * The issuer, as what was issued may say: what the operator has confirmed is left out unless the contract has published
 * code, since any other one, such as one that a stolen key has registered, can say anything.
 */
export function issuerOf({ issuer, ...creation }: { readonly issuer: Issuer } & CreationRecord): Issuer {
  if (issuer.domain === null || hasPublishedCode(creation)) return issuer;
  return { id: issuer.id, name: null, logoUrl: null, domain: null, publishesDid: false };
}

/**
 * A certificate that this service has issued: what its first confirmed order says, since the contract keeps the first
 * document for good.
 * @returns undefined for a certificate without such an order, and for a token that is none.
 */
export async function findCertificate(db: SystemDb, { contractAddress, tokenId }: CertificateKey) {
  const [found] = await tagged(
    'find-certificate',
    db.sql
      .select({
        chainId: orders.chainId,
        ercStandard: sql<ErcStandard>`${orders.ercStandard}`,
        tokenUri: sql<string>`${orders.details}->>'tokenUri'`,
        metadataHash: sql<Hex>`${orders.details}->>'metadataHash'`,
        issuedAt: sql<Date>`${orders.completedAt}`.mapWith(orders.completedAt),
        document: metadata.standardFields,
        statusNumber: credentialStatuses.number,
        accountId: orders.corporateAccountId,
        ...issuanceColumns,
      })
      .from(orders)
      .innerJoin(contracts, eq(contracts.id, orders.contractId))
      .innerJoin(metadata, eq(metadata.id, orders.metadataId))
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, orders.corporateAccountId))
      .leftJoin(forwarders, isForwarderOf)
      .leftJoin(
        credentialStatuses,
        and(
          eq(credentialStatuses.contractAddress, orders.contractAddress),
          eq(credentialStatuses.tokenId, orders.tokenId),
        ),
      )
      .where(
        and(
          eq(orders.contractAddress, contractAddress),
          eq(orders.tokenId, tokenId),
          ofResource('minting-orders'),
          eq(orders.status, 'CONFIRMED'),
          eq(contracts.contractType, 'certificate'),
          sql`${orders.details}->>'tokenUri' is not null and ${orders.details}->>'metadataHash' is not null`,
          sql`${orders.completedAt} is not null`,
        ),
      )
      .orderBy(asc(orders.completedAt), asc(orders.id))
      .limit(1),
  );
  return found && { ...found, issuer: issuerOf(found) };
}

/** Takes the next place in the status lists of an account for a certificate, once. @returns its number, from 0. */
export async function takeStatusNumber(
  db: SystemDb,
  accountId: string,
  { contractAddress, tokenId }: CertificateKey,
): Promise<number> {
  const next = db.sql
    .select({
      contractAddress: sql`${contractAddress}`.as('contract_address'),
      tokenId: sql`${tokenId}`.as('token_id'),
      corporateAccountId: sql`${accountId}`.as('corporate_account_id'),
      number: sql<number>`coalesce(max(number) + 1, 0)`.as('number'),
    })
    .from(credentialStatuses)
    .where(eq(credentialStatuses.corporateAccountId, accountId));
  const {
    taken: [taken],
  } = await runBatch(db, {
    // One after the other, each with the snapshot of its own statement: so no number is taken twice.
    lock: db.sql.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`credential-status ${accountId}`}, 0))`),
    take: tagged('take-status-number', db.sql.insert(credentialStatuses).select(next).onConflictDoNothing()),
    taken: db.sql
      .select({ number: credentialStatuses.number })
      .from(credentialStatuses)
      .where(and(eq(credentialStatuses.contractAddress, contractAddress), eq(credentialStatuses.tokenId, tokenId))),
  });
  if (taken === undefined) throw new Error('A certificate has no place in a status list');
  return taken.number;
}

/**
 * The account of an issuer, the domains of its DIDs, and the highest number in its status lists; null if no certificate
 * has one.
 */
export async function findIssuerLists(db: SystemDb, issuerId: string) {
  const [found] = await db.sql
    .select({
      accountId: corporateAccounts.id,
      domains: corporateAccounts.issuerDidDomains,
      highest: max(credentialStatuses.number),
    })
    .from(corporateAccounts)
    .leftJoin(credentialStatuses, eq(credentialStatuses.corporateAccountId, corporateAccounts.id))
    .where(eq(corporateAccounts.issuerId, issuerId))
    .groupBy(corporateAccounts.id);
  return found;
}

/** The numbers of an account, in a range, whose certificates are revoked or burned. @param end Not in the range. */
export async function findEndedNumbers(db: SystemDb, accountId: string, start: number, end: number): Promise<number[]> {
  const isListed = and(
    eq(credentialStatuses.corporateAccountId, accountId),
    sql`${credentialStatuses.number} >= ${start} and ${credentialStatuses.number} < ${end}`,
  );
  const listed = sql`(select distinct ${credentialStatuses.contractAddress} from ${credentialStatuses} where ${isListed})`;
  // The offset has PostgreSQL find the orders contract by contract, and not among those of all accounts.
  const gone = sql`
    select o.contract_address, o.token_id, sum(o.amount) as units from ${listed} listed,
      lateral (${confirmedOfListed('burn-orders')} union all ${confirmedOfListed('certificate-revocations')} offset 0) o
    group by o.contract_address, o.token_id`;
  // The mints are asked for once for each certificate of which anything is gone.
  const ended = sql`(
    select gone.contract_address, gone.token_id from (${gone}) gone
    where gone.units >= ${unitsOf('minting-orders', { contractAddress: sql`gone.contract_address`, tokenId: sql`gone.token_id` })}
    union ${burnedTokens(listed)}) ended`;
  const rows = await tagged(
    'find-ended-numbers',
    db.sql
      .select({ number: credentialStatuses.number })
      .from(credentialStatuses)
      .innerJoin(
        ended,
        sql`ended.contract_address = ${credentialStatuses.contractAddress} and ended.token_id = ${credentialStatuses.tokenId}`,
      )
      .where(isListed)
      .orderBy(credentialStatuses.number),
  );
  return rows.map(({ number }) => number);
}

/** The confirmed orders of a contract `listed`, as a part of a statement. */
function confirmedOfListed(resource: OrderResourceName): SQL {
  return sql`
    select o.contract_address, o.token_id, o.amount from ${orders} o
    where o.${ofResource(resource)} and o.contract_address = listed.contract_address and o.status = 'CONFIRMED'`;
}

/**
 * Whether confirmed orders have minted more units of a token than confirmed orders have burned and revoked, and the
 * chain has units left, as far as it is indexed.
 */
export function isStanding(contractAddress: PgColumn, tokenId: PgColumn): SQL<boolean> {
  const units = (resource: OrderResourceName) => unitsOf(resource, { contractAddress, tokenId });
  return sql<boolean>`(${units('minting-orders')} > ${units('burn-orders')} + ${units('certificate-revocations')}
    and not ${isBurned({ contractAddress, tokenId })})`;
}

/** The units of a token in confirmed orders. */
function unitsOf(
  resource: OrderResourceName,
  { contractAddress, tokenId }: Readonly<Record<'contractAddress' | 'tokenId', SQLWrapper>>,
): SQL {
  return sql`coalesce((select sum(o.amount) from ${orders} o where o.${ofResource(resource)} and o.contract_address = ${contractAddress}
    and o.token_id = ${tokenId} and o.status = 'CONFIRMED'), 0)`;
}
