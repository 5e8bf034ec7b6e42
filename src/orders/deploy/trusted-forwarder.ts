import { isAddressEqual, zeroAddress, type Address } from 'viem';
import type { Chain } from '../../chains/client.ts';
import { NotNow, OrderRefused, type ChainReads } from '../../engine/order-kind.ts';
import { inspectForwarder, inspectForwarderAt } from '../../relay/inspect-forwarder.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { DomainError, type InputIssue } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findOwnForwarders, type Contract } from '../../catalog/contracts/contracts.store.ts';

/**
 * The forwarder that a new contract will trust: the requested one, else the chain's setting, else the account's newest
 * ACTIVE one. It is verified on chain unless the account's own records have it. If the chain does not answer, it is
 * verified before the deployment is signed ({@link requireForwarder}).
 * @param requested The zero address for none.
 * @returns undefined if none is requested and there is no default; an issue if `trustedForwarder` is not a forwarder of
 *   this chain. `isForeign`: neither the setting nor the account's own, so that who controls it could act for the
 *   contract's owner.
 */
export async function chooseTrustedForwarder(
  { db, settings }: Pick<TenantServices, 'db' | 'settings'>,
  chain: Chain,
  requested: Address | undefined,
): Promise<{ readonly address: Address; readonly isForeign: boolean } | InputIssue | undefined> {
  const configured = settings.trustedForwarders.get(chain.id);
  const chosen = requested ?? configured;
  if (chosen !== undefined && isAddressEqual(chosen, zeroAddress)) return { address: chosen, isForeign: false };
  const own = (await findOwnForwarders(db, chain.id, { address: chosen })).map(({ address }) => address);
  const address = chosen ?? own[0];
  if (address === undefined) return undefined;
  if (own.includes(lowerCase(address))) return { address, isForeign: false };
  const issue = await checkForwarder(chain, address);
  if (issue !== undefined) return { path: 'trustedForwarder', message: issue };
  return { address, isForeign: configured === undefined || !isAddressEqual(address, configured) };
}

/** The problem with a forwarder; undefined if there is none or the chain does not answer. */
async function checkForwarder(chain: Chain, forwarder: Address): Promise<string | undefined> {
  try {
    const finding = await inspectForwarder(chain, forwarder);
    return finding.kind === 'forwarder' ? undefined : finding.issue;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'upstream') return undefined;
    throw error;
  }
}

/**
 * Verifies the forwarder that an accepted contract will trust, before its deployment is signed. One that is not there
 * was there when the deployment was accepted, unless no node answered then: the node lags, or a reorganization has
 * removed it until it is deployed again.
 * @throws {OrderRefused} if it is not a forwarder of this chain.
 * @throws {NotNow} if the chain does not answer or does not have it.
 */
export async function requireForwarder(
  reads: ChainReads,
  { chainId, trustedForwarder }: Pick<Contract, 'chainId' | 'trustedForwarder'>,
): Promise<void> {
  if (trustedForwarder === null || isAddressEqual(trustedForwarder, zeroAddress)) return;
  const finding = await inspectForwarderAt(reads, chainId, trustedForwarder);
  if (finding.kind === 'forwarder') return;
  const issue = `trustedForwarder ${finding.issue}`;
  throw finding.kind === 'nothing' ? new NotNow(issue) : new OrderRefused(issue);
}
