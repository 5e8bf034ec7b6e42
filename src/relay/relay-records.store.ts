import { and, eq } from 'drizzle-orm';
import type { Address } from 'viem';
import { findOwnForwarders, ownContractAt } from '../catalog/contracts/contracts.store.ts';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import { runBatch, type ResultsOf, type TenantDb } from '../platform/database/client.ts';
import { forwardRequests } from '../platform/database/schema.ts';

/** A request to a contract through a forwarder. */
interface RelayInput {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  readonly from: Address;
  readonly forwarderAddress?: Address | undefined;
}

type OwnContract = Awaited<ReturnType<typeof ownContractAt>>[number];

/** What the database has for a request to a contract through a forwarder. */
export interface RelayRecords {
  /** The account's record of the contract, in any state. */
  readonly contract: OwnContract | undefined;
  /**
   * The account's ACTIVE forwarders: its newest one first, and those that the request or the contract's record names.
   */
  readonly forwarders: readonly LowerCaseAddress[];
  /**
   * The nonces of the signer's unfinished requests, of all accounts: a forwarder has one nonce per signer, whichever
   * account relays.
   */
  openNonces(forwarder: LowerCaseAddress): bigint[];
}

/** The statements that read {@link RelayRecords}, for a batch. */
export function selectRelayRecords(db: TenantDb, { chainId, contractAddress, forwarderAddress, from }: RelayInput) {
  return {
    contracts: ownContractAt(db, chainId, contractAddress),
    forwarders: findOwnForwarders(db, chainId, { address: forwarderAddress, trustedBy: contractAddress }),
    open: db.sql
      .select({ forwarderAddress: forwardRequests.forwarderAddress, nonce: forwardRequests.nonce })
      .from(forwardRequests)
      .where(
        and(
          eq(forwardRequests.chainId, chainId),
          eq(forwardRequests.signerAddress, lowerCase(from)),
          eq(forwardRequests.state, 'open'),
        ),
      ),
  };
}

/** The results of {@link selectRelayRecords}. */
export function relayRecords({
  contracts: [contract],
  forwarders,
  open,
}: ResultsOf<ReturnType<typeof selectRelayRecords>>): RelayRecords {
  return {
    contract,
    forwarders: forwarders.map(({ address }) => address),
    openNonces: (forwarder) =>
      open.flatMap(({ forwarderAddress, nonce }) => (forwarderAddress === forwarder ? [BigInt(nonce)] : [])),
  };
}

/** Reads what the database has for a request, in one round trip. */
export async function readRelayRecords(db: TenantDb, input: RelayInput): Promise<RelayRecords> {
  return relayRecords(await runBatch(db, selectRelayRecords(db, input)));
}
