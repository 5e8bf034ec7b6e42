import type { Address } from 'viem';
import { ExpiringMap } from '../../core/bounded-map.ts';
import type { EpochMs } from '../../core/epoch-ms.ts';

const CAPACITY = 10_000;

/** Addresses that are not registered contracts. Nothing of them is looked up. */
const unknownContracts = new ExpiringMap<true>(1_000, CAPACITY);
const knownContracts = new ExpiringMap<true>(600_000, CAPACITY);
/**
 * Addresses whose first lookup is running: a burst of reads of a new collection counts as one lookup of its contract.
 */
const pendingContracts = new ExpiringMap<true>(1_000, CAPACITY);

/**
 * What a database lookup is for: something of a known contract, or of any other address. Callers that invent addresses
 * are limited sooner than callers that read a collection.
 */
export type LookupSubject = 'document' | 'contract';

/** Whether an address was looked up within a second, and is no registered contract. */
export function isUnknownContract(contractAddress: Address, now: EpochMs): boolean {
  return unknownContracts.get(contractAddress, now) ?? false;
}

/** @param lookedUpAt When the lookup started. */
export function rememberContract(contractAddress: Address, isKnown: boolean, lookedUpAt: EpochMs): void {
  const cache = isKnown ? knownContracts : unknownContracts;
  cache.set(contractAddress, true, lookedUpAt);
}

export function forgetUnknownContract(contractAddress: Address): void {
  unknownContracts.delete(contractAddress);
}

/** Counts a lookup by its subject. @throws whatever `allowLookup` throws. */
export async function requireLookup(
  contractAddress: Address,
  now: EpochMs,
  allowLookup: (subject: LookupSubject) => Promise<void>,
): Promise<void> {
  if (knownContracts.get(contractAddress, now) ?? pendingContracts.get(contractAddress, now)) {
    return await allowLookup('document');
  }
  pendingContracts.set(contractAddress, true, now);
  try {
    await allowLookup('contract');
  } catch (error) {
    pendingContracts.delete(contractAddress);
    throw error;
  }
}
