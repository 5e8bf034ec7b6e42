import type { Chain } from '../chains/client.ts';
import { readContract, valueOf } from '../chains/contract-reads.ts';
import { nonceView } from '../catalog/contracts/views.ts';
import { invalidInput } from '../core/domain-error.ts';
import { ExpiringMap } from '../core/bounded-map.ts';
import { lowerCase } from '../core/lower-case.ts';
import type { TenantServices } from '../services.ts';
import type { EarlyRequest, SignedInput } from './check-forwarding.ts';
import { deadlineIssues } from './deadline.ts';
import { openNonces } from './forward-requests.store.ts';
import { nextNonce, nonceIssue } from './signer-state.ts';

/**
 * Requests that were refused for being early alone, by their signatures. `request` is whose they were, and every field.
 */
const refused = new ExpiringMap<EarlyRequest & { readonly request: string }>(60_000, 2_000);

/** Remembers a request that is refused for nothing but its nonce, which is ahead. */
export function rememberEarly(services: TenantServices, input: SignedInput, early: EarlyRequest): void {
  refused.set(lowerCase(input.signature), { ...early, request: requestOf(services, input) }, services.clock.now());
}

/**
 * Refuses a request that was refused lately for being early, if it still is: one query and one call, where checking
 * everything takes several.
 * @throws {DomainError} `invalid`; `upstream` if the chain does not answer.
 */
export async function refuseStillEarly(services: TenantServices, chain: Chain, input: SignedInput): Promise<void> {
  const now = services.clock.now();
  const early = refused.get(lowerCase(input.signature), now);
  if (early?.request !== requestOf(services, input) || deadlineIssues(input.deadline, now).length > 0) return;
  const { forwarder, nonce } = early;
  // The orders first: one that is settled in between is already counted in the forwarder's nonce.
  const open = await openNonces(services.db, forwarder, lowerCase(input.from));
  const onChain = valueOf(await readContract(chain.client, nonceView(forwarder.address, input.from)));
  const expected = onChain === undefined ? nonce : nextNonce(onChain, open);
  // With an open nonce it is an order by now.
  if (nonce > expected && !open.includes(nonce)) {
    throw invalidInput([nonceIssue(expected, nonce, input.forwarderNonce === undefined)]);
  }
  refused.delete(lowerCase(input.signature));
}

/** The same however its addresses and other bytes are spelt. */
function requestOf({ account }: TenantServices, input: SignedInput): string {
  return JSON.stringify([account.id, input], (_, value: unknown) =>
    typeof value === 'string' && HEX.test(value) ? value.toLowerCase() : value,
  );
}

const HEX = /^0x[0-9a-f]+$/i;
