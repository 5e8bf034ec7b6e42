import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { creationColumns, forwarders, isForwarderOf } from '../../../catalog/contracts/deployments.store.ts';
import { runBatch, type SystemDb } from '../../../platform/database/client.ts';
import {
  claims,
  contracts,
  corporateAccounts,
  metadata,
  orders,
  type ErcStandard,
} from '../../../platform/database/schema.ts';
import { tagged } from '../../../platform/database/tagged.ts';
import { noticeRows, noticeTables } from '../../../webhooks/events.store.ts';
import { claimStatusAt, instantOf, isClaimable, MAX_PIN_FAILURES, orderColumns, orderOfClaim } from './claims.store.ts';
import { claimNoticeOf } from './expired-claims.store.ts';

/** A claim as its link shows it, with the hashes of its secret and PIN. */
export type LinkedClaim = Awaited<ReturnType<typeof selectLinked>>[number];

/** The claim with this id, of any account: the statement that reads it. */
function selectLinked(db: SystemDb, id: string, now: Date) {
  return tagged(
    'find-linked-claim',
    db.sql
      .select({
        ...getTableColumns(claims),
        ...orderColumns,
        status: claimStatusAt(now),
        document: metadata.standardFields,
        contractName: contracts.name,
        ercStandard: sql<ErcStandard>`${orders.ercStandard}`,
        tokenUri: sql<string | null>`${orders.details}->>'tokenUri'`,
        metadataHash: sql<Hex | null>`${orders.details}->>'metadataHash'`,
        contractType: contracts.contractType,
        walletAddress: corporateAccounts.walletAddress,
        issuerName: corporateAccounts.issuerName,
        issuerLogoUrl: corporateAccounts.issuerLogoUrl,
        issuerDomain: corporateAccounts.issuerDomain,
        issuerConfirmedAt: corporateAccounts.issuerConfirmedAt,
        ...creationColumns,
      })
      .from(claims)
      .innerJoinLateral(orderOfClaim(db), sql`true`)
      .innerJoin(metadata, eq(metadata.id, orders.metadataId))
      .innerJoin(contracts, eq(contracts.id, orders.contractId))
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, claims.corporateAccountId))
      .leftJoin(forwarders, isForwarderOf)
      .where(eq(claims.id, id)),
  );
}

export async function findLinkedClaim(db: SystemDb, id: string, now: Date): Promise<LinkedClaim | undefined> {
  const [found] = await selectLinked(db, id, now);
  return found;
}

/** Who asks for the token of a claim. */
interface Claimant {
  readonly receiverAddress: Address;
  /** The hash of the PIN that was sent; null without one. */
  readonly pinHash: string | null;
}

const comparison = z.object({ rows: z.array(z.object({ isRight: z.boolean(), failures: z.number() })) });
const naming = z.object({
  rows: z.tuple([z.object({ isNamed: z.boolean(), endpointIds: z.array(z.string()) })]),
});

/**
 * Names the receiver of a claim, unless somebody has, it is cancelled or blocked, the time is over, or the PIN is
 * wrong. It changes the row of the transaction under the condition that none of the others has, so that exactly one
 * request has an effect; a driver that ends the order finds another version. A PIN is compared and counted by one
 * statement, which locks the claim first: however many are sent at once, no more than {@link MAX_PIN_FAILURES} wrong
 * ones are compared.
 * @returns whether it is named by this request; how many PINs are left if the one that was sent was compared and is
 *   wrong; the endpoints of the notice, to be woken; and the claim after that.
 */
export async function nameReceiver(
  db: SystemDb,
  claim: LinkedClaim,
  { receiverAddress, pinHash }: Claimant,
  now: Date,
) {
  const { id } = claim;
  const at = instantOf(now);
  const notice = {
    type: 'claim.claimed',
    accountId: claim.corporateAccountId,
    chainId: claim.chainId,
    orderId: id,
    at: now,
    data: { ...claimNoticeOf(claim), receiverAddress },
  } as const;
  const isRight = sql`c.pin_hash is not distinct from ${pinHash}::text`;
  const comparePin = sql`
    update ${claims} c set pin_failures = c.pin_failures + case when ${isRight} then 0 else 1 end
    where c.id = ${id} and c.pin_hash is not null and c.pin_failures < ${MAX_PIN_FAILURES}
      and c.claimed_at is null and c.expires_at > ${at}
    returning ${isRight} as "isRight", c.pin_failures as failures`;
  const name = sql`
    with named as (
      update ${orders} t set receiver_address = ${receiverAddress}, approval_until = null, version = t.version + 1,
        next_try_at = ${at}, updated_at = ${at}
      from ${claims} c
      where c.id = ${id} and ${isClaimable(now)} and c.claimed_at is null and c.pin_failures < ${MAX_PIN_FAILURES}
        and (c.pin_hash is null or ${isRight})
      returning t.order_id
    ),
    claimed as (update ${claims} c set claimed_at = ${at} from named where c.id = named.order_id),
    ${noticeTables(noticeRows([notice], sql`exists (select from named)`))}
    select exists (select from named) as "isNamed",
      (select coalesce(jsonb_agg(endpoint_id), '[]') from added) as "endpointIds"`;
  const {
    compared,
    named,
    after: [after = claim],
  } = await runBatch(db, {
    compared: db.sql.execute(tagged('compare-pin', comparePin)),
    named: db.sql.execute(tagged('name-receiver', name)),
    after: selectLinked(db, id, now),
  });
  const [pin] = comparison.parse(compared).rows;
  const [{ isNamed, endpointIds }] = naming.parse(named).rows;
  return {
    isNamed,
    endpointIds,
    pinsLeft: pin?.isRight === false ? MAX_PIN_FAILURES - pin.failures : undefined,
    after,
  };
}
