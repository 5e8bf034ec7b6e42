import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { encodeTransfer } from './transfer-call.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { textField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { draftTransfer, transferFields } from './draft-transfer.ts';
import { unsignedFields } from '../../relay/accept-holder-request.ts';
import { withDeadline } from '../../relay/deadline.ts';
import { privateKeyField } from '../../relay/forward-fields.ts';
import { signRequest, signatureReplyFields } from '../../relay/sign-request.ts';

/** Specification, POST /transfer/signature. */
export const transferSignatureInput = z
  .strictObject({
    ...transferFields,
    ...unsignedFields,
    privateKey: privateKeyField.optional(),
    note: textField(1_000).optional().meta({ description: 'Ignored', example: 'A test' }),
  })
  .meta({ id: 'SignTransfer' });

export const transferSignatureSchema = z.object(signatureReplyFields).meta({ id: 'TransferSignature' });

/**
 * Signs a transfer for tests, in the form that POST /transfer/execute accepts.
 * @throws {DomainError} `invalid` with every issue.
 */
export async function createTransferSignature(
  services: TenantServices,
  input: z.output<typeof transferSignatureInput>,
): Promise<z.infer<typeof transferSignatureSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId);
  const { issues, transfer } = await draftTransfer(services, input);
  if (issues.length > 0 || transfer === undefined) throw invalidInput(issues);
  const data = withDeadline(encodeTransfer(transfer), input.deadline);
  const { domain, types, request, signature } = await signRequest(services, chain, input, data);
  return { domain, types, request, signature };
}
