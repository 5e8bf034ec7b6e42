import { isAddressEqual, zeroAddress, type Address } from 'viem';
import { lowerCase } from '../../core/lower-case.ts';
import type { TenantServices } from '../../services.ts';
import { findContractByAddress } from './contracts.store.ts';

/**
 * Whether a forwarder is neither the chain's setting nor one of the account's own: who controls it could act for the
 * contract's owner.
 */
export async function isForeignForwarder(
  { db, settings }: Pick<TenantServices, 'db' | 'settings'>,
  chainId: string,
  forwarder: Address,
): Promise<boolean> {
  const known = [zeroAddress, settings.trustedForwarders.get(chainId)];
  if (known.some((address) => address !== undefined && isAddressEqual(address, forwarder))) return false;
  return (await findContractByAddress(db, chainId, lowerCase(forwarder)))?.ercStandard !== 'Forwarder';
}
