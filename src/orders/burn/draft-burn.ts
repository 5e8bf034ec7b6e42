import type { HolderDraft } from '../../relay/accept-holder-request.ts';
import { draftHolding } from '../../relay/draft-holding.ts';
import type { Holding } from '../../chains/token-transfer.ts';
import type { TenantServices } from '../../services.ts';
import { encodeBurn } from './burn-call.ts';

/** Resolves a burn from the account's records, with every issue. */
export async function draftBurn(
  services: TenantServices,
  input: Parameters<typeof draftHolding>[1],
): Promise<HolderDraft<Holding>> {
  const { issues, holding, contract } = await draftHolding(services, input);
  const blocked = { path: 'contractAddress', message: 'was deployed so that holders cannot burn its certificates' };
  return {
    issues: contract?.isBurnBlocked === true ? [blocked, ...issues] : issues,
    draft: holding,
    call: holding && encodeBurn(holding),
  };
}
