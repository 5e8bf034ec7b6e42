import type { Address } from 'viem';
import { newestForwarder } from '../../db/newest-forwarder.ts';
import type { InputFault } from '../../http/domain-error.ts';
import type { TenantServices } from '../../services.ts';

/**
 * The forwarder of a request: the one it names, else the chain's setting, else the account's newest ACTIVE one on the chain.
 * @returns the fault of the input where there is none.
 */
export async function chooseForwarder(
  { settings, db }: TenantServices,
  input: { readonly chainId: string; readonly forwarderAddress?: Address | undefined },
): Promise<Address | InputFault> {
  const { chainId } = input;
  const chosen =
    input.forwarderAddress ?? settings.trustedForwarders.get(chainId) ?? (await newestForwarder(db, chainId));
  if (chosen !== undefined) return chosen;
  return {
    path: 'forwarderAddress',
    message: `is required: there is no setting TRUSTED_FORWARDER_ADDRESS_${chainId}, and the account has no ACTIVE forwarder on chain ${chainId}`,
  };
}
