import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { requestReply } from '../../relay/request-reply.ts';
import type { preparedRequestSchema } from '../../relay/prepare-request.ts';
import type { TenantServices } from '../../services.ts';
import { draftRevocation, givenUpFields, ofGivenUpRequest, revocationFields } from './draft-revocation.ts';

/** POST /transfer/prepare with `purpose` cancel. */
export const revocationPreparationInput = z.strictObject({
  ...revocationFields,
  ...givenUpFields,
  signature: ofGivenUpRequest,
});

/**
 * The typed data of a request that only uses up its signer's nonce.
 * @throws {DomainError} `invalid` with every issue; `upstream` if the chain does not answer.
 */
export async function prepareRevocation(
  services: TenantServices,
  input: z.output<typeof revocationPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId);
  const { issues, revocation } = await draftRevocation(services, chain, input);
  if (revocation === undefined) throw invalidInput(issues);
  const typedData = requestReply({ chainId: chain.id, address: revocation.forwarder }, revocation.request);
  return { ...typedData, primaryType: 'ForwardRequest', deadline: null };
}
