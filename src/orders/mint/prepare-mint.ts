import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { choosePreparation, preparationFields, prepareRequest } from '../../relay/prepare-request.ts';
import type { preparedRequestSchema } from '../../relay/prepare-request.ts';
import type { TenantServices } from '../../services.ts';
import { conflictOf } from './draft-orders.ts';
import { draftRelay, ownerMintFields } from './draft-relay.ts';

/** POST /minting/prepare. */
export const mintPreparationInput = z
  .strictObject({ ...ownerMintFields, ...preparationFields })
  .meta({ id: 'PrepareMint' });

/**
 * The typed data of a mint, for the contract's owner to sign. Apart from the account's limits, what POST /minting/relay would
 * refuse now is refused here already, and a signer who may not mint as well.
 * @throws {DomainError} as POST /minting/order does; `invalid` with every issue, or with the contract's error if the mint would
 *   revert; `upstream` if the chain does not answer.
 */
export async function prepareMint(
  services: TenantServices,
  input: z.output<typeof mintPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId);
  const { issues: draftIssues, relay } = await draftRelay(services, input);
  const { issues, preparation } = await choosePreparation(services, chain, input);
  if (relay === undefined || preparation === undefined) throw invalidInput([...draftIssues, ...issues]);
  const conflict = await conflictOf(services, relay.draft);
  if (conflict !== undefined) throw conflict;
  return await prepareRequest(services, chain, input, preparation, relay.call);
}
