import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { encodeTransfer } from './transfer-call.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { textField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { draftTransfer, transferFields } from './draft-transfer.ts';
import { privateKeyField } from '../../relay/forward-fields.ts';
import { signRequest, signatureReplyFields } from '../../relay/sign-request.ts';

/** Specification, POST /transfer/signature. */
export const transferSignatureInput = z
  .object({
    ...transferFields,
    privateKey: privateKeyField.optional(),
    note: textField(1_000).optional(),
  })
  .meta({ id: 'SignTransfer' });

export const transferSignatureSchema = z.object(signatureReplyFields).meta({ id: 'TransferSignature' });

/**
 * Signs a transfer, for tests: what POST /transfer/execute takes.
 * @throws {DomainError} `invalid` with every fault.
 */
export async function createTransferSignature(
  services: TenantServices,
  input: z.output<typeof transferSignatureInput>,
): Promise<z.infer<typeof transferSignatureSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId);
  const { faults, move } = await draftTransfer(services, input);
  if (faults.length > 0 || move === undefined) throw invalidInput(faults);
  const { domain, types, request, signature } = await signRequest(services, chain, input, encodeTransfer(move));
  return { domain, types, request, signature };
}
