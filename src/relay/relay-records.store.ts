import { and, eq } from 'drizzle-orm';
import type { Address } from 'viem';
import { findOwnForwarders, ownContractAt } from '../catalog/contracts/contracts.store.ts';
import { lowerCase } from '../core/lower-case.ts';
import { runBatch, type ResultsOf, type TenantDb } from '../platform/database/client.ts';
import { forwardRequests } from '../platform/database/schema.ts';

/** A request to a contract through a forwarder. */
interface RelayInput {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: Address;
  readonly from: Address;
  readonly forwarderAddress?: Address | undefined;
}

type OwnContract = Awaited<ReturnType<typeof ownContractAt>>[number];

/** What the database has for a request to a contract through a forwarder. */
export interface RelayRecords {
  /** The account's record of the contract, in any state. */
  readonly contract: OwnContract | undefined;
  /**
   * The account's ACTIVE forwarders, in lower case: its newest one first, and those that the request or the contract's
   * record names.
   */
  readonly forwarders: readonly Address[];
  /**
   * The nonces of the signer's unfinished requests, of all accounts: a forwarder has one nonce per signer, whichever
   * account relays.
   * @param forwarder Lower case.
   */
  openNonces(forwarder: Address): bigint[];
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
