import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { choosePreparation, preparationFields, prepareRequest } from '../../relay/prepare-request.ts';
import type { preparedRequestSchema } from '../../relay/prepare-request.ts';
import type { TenantServices } from '../../services.ts';
import { checkHolding } from './check-holding.ts';
import { draftTransfer, transferFields, transferPurpose } from './draft-transfer.ts';
import { encodeTransfer } from './transfer-call.ts';

/** POST /transfer/prepare. */
export const transferPreparationInput = z
  .object({ ...transferPurpose, ...transferFields, ...preparationFields })
  .meta({ id: 'PrepareTransfer' });

/**
 * The typed data of a transfer, for its holder to sign. Apart from the account's limits, what POST /transfer/execute
 * would refuse now is refused here already.
 * @throws {DomainError} `invalid` with every issue, or with the contract's error if the transfer would revert; `upstream` if the
 *   chain does not answer.
 */
export async function prepareTransfer(
  services: TenantServices,
  input: z.output<typeof transferPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId);
  const { issues: draftIssues, transfer } = await draftTransfer(services, input);
  const [{ issues, preparation }, holdingIssues] = await Promise.all([
    choosePreparation(services, chain, input),
    transfer === undefined ? [] : checkHolding(chain, transfer),
  ]);
  const noContract = issues.some(({ path }) => path === 'contractAddress');
  const all = [...draftIssues, ...issues, ...(noContract ? [] : holdingIssues)];
  if (all.length > 0 || transfer === undefined || preparation === undefined) throw invalidInput(all);
  return await prepareRequest(services, chain, input, preparation, encodeTransfer(transfer));
}
