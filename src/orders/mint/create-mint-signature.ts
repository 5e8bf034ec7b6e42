import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { invalidInput } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { withDeadline } from '../../relay/deadline.ts';
import { privateKeyField } from '../../relay/forward-fields.ts';
import { signRequest, signatureReplyFields } from '../../relay/sign-request.ts';
import { draftRelay, relayFields } from './draft-relay.ts';
import { shownAddress } from '../../core/reply-fields.ts';

/** Specification, POST /minting/signature. */
export const mintSignatureInput = z
  .strictObject({ ...relayFields, privateKey: privateKeyField.optional() })
  .meta({ id: 'SignMint' });

export const mintSignatureSchema = z
  .object({
    ...signatureReplyFields,
    forwarderAddress: shownAddress.meta({ description: 'The forwarder, for POST /minting/relay' }),
  })
  .meta({ id: 'MintSignature' });

/**
 * Signs a mint for tests, in the form that POST /minting/relay accepts.
 * @throws {DomainError} as POST /minting/order does, except for occupancy; `invalid` with every issue of the signed request.
 */
export async function createMintSignature(
  services: TenantServices,
  input: z.output<typeof mintSignatureInput>,
): Promise<z.infer<typeof mintSignatureSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId);
  const { issues, relay } = await draftRelay(services, input);
  if (relay === undefined) throw invalidInput(issues);
  return await signRequest(services, chain, input, withDeadline(relay.call, input.deadline));
}
