import { z } from 'zod';
import { receiverField } from '../../core/fields.ts';
import type { InputIssue } from '../../core/domain-error.ts';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import { draftHolding, holdingFields } from '../../relay/draft-holding.ts';
import type { TenantServices } from '../../services.ts';

/** What tells a transfer from a request that only uses up a nonce. */
export const transferPurpose = {
  purpose: z.literal('transfer').optional().meta({ description: 'A transfer; default' }),
};

/** The fields that define a transfer. */
export const transferFields = {
  ...holdingFields,
  to: receiverField.meta({ description: 'Who gets the token; not the zero address' }),
};

type TransferInput = Parameters<typeof draftHolding>[1] & Pick<TokenTransfer, 'to'>;

/**
 * Resolves a transfer from the account's records.
 * @returns every issue; the transfer is undefined if the standard is unknown.
 */
export async function draftTransfer(
  services: TenantServices,
  input: TransferInput,
): Promise<{ readonly issues: readonly InputIssue[]; readonly transfer: TokenTransfer | undefined }> {
  const { issues, holding, contract } = await draftHolding(services, input);
  const locked = { path: 'contractAddress', message: 'is a certificate contract, whose tokens cannot be transferred' };
  return {
    issues: contract?.isCertificate === true ? [locked, ...issues] : issues,
    transfer: holding && { ...holding, to: input.to },
  };
}
