import { isAddressEqual, zeroAddress } from 'viem';
import type { Address } from 'viem';
import type { Chain } from '../../chains/client.ts';
import { NotNow, OrderRefused } from '../../engine/order-kind.ts';
import type { ChainReads } from '../../engine/order-kind.ts';
import { inspectForwarder, inspectForwarderAt } from '../../relay/inspect-forwarder.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { InputIssue } from '../../core/domain-error.ts';
import type { Services, TenantServices } from '../../services.ts';
import { findContractByAddress, newestForwarder } from '../../catalog/contracts/contracts.store.ts';
import type { Contract } from '../../catalog/contracts/contracts.store.ts';

/** How long a node may not know yet of a contract that another node has shown, in milliseconds. */
const LAG_MS = 60_000;

/**
 * The forwarder that a new contract will trust: the one that is named, else the setting of the chain, else the account's
 * newest ACTIVE one. It is checked, unless the account's own records say what it is. When the chain does not answer it is
 * taken as it is, and checked before the deployment is signed ({@link requireForwarder}).
 * @param named The zero address for none.
 * @returns undefined where none is named and there is no default; the issue with `trustedForwarder` where it is no forwarder
 *   of this chain.
 */
export async function chooseTrustedForwarder(
  { db, settings }: Pick<TenantServices, 'db' | 'settings'>,
  chain: Chain,
  named: Address | undefined,
): Promise<Address | InputIssue | undefined> {
  const chosen = named ?? settings.trustedForwarders.get(chain.id);
  if (chosen === undefined) return await newestForwarder(db, chain.id);
  if (isAddressEqual(chosen, zeroAddress)) return chosen;
  const own = await findContractByAddress(db, chain.id, lowerCase(chosen));
  if (own?.ercStandard === 'Forwarder') return chosen;
  const fault = await faultOf(chain, chosen);
  return fault === undefined ? chosen : { path: 'trustedForwarder', message: fault };
}

/** What is wrong with a forwarder, as far as the chain answers now. */
async function faultOf(chain: Chain, forwarder: Address): Promise<string | undefined> {
  try {
    const finding = await inspectForwarder(chain, forwarder);
    return finding.kind === 'forwarder' ? undefined : finding.fault;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'upstream') return undefined;
    throw error;
  }
}

/**
 * Checks the forwarder that an accepted contract will trust, before its deployment is signed.
 * @throws {OrderRefused} when it is no forwarder of this chain.
 * @throws {NotNow} when the chain does not answer, or may not know of it yet.
 */
export async function requireForwarder(
  { clock }: Pick<Services, 'clock'>,
  reads: ChainReads,
  { chainId, trustedForwarder, createdAt }: Pick<Contract, 'chainId' | 'trustedForwarder' | 'createdAt'>,
): Promise<void> {
  if (trustedForwarder === null || isAddressEqual(trustedForwarder, zeroAddress)) return;
  const finding = await inspectForwarderAt(reads, chainId, trustedForwarder);
  if (finding.kind === 'forwarder') return;
  if (finding.kind === 'nothing' && clock.now() - createdAt.getTime() < LAG_MS) {
    throw new NotNow('The node may lag behind');
  }
  throw new OrderRefused(`trustedForwarder ${finding.fault}`);
}
