import { z } from 'zod';
import { prepareHolderRequest } from '../../relay/prepare-holder-request.ts';
import { preparationFields } from '../../relay/prepare-request.ts';
import type { preparedRequestSchema } from '../../relay/prepare-request.ts';
import type { TenantServices } from '../../services.ts';
import { draftTransfer, transferFields, transferPurpose } from './draft-transfer.ts';
import { encodeTransfer } from './transfer-call.ts';

/** POST /transfer/prepare. */
export const transferPreparationInput = z
  .strictObject({ ...transferPurpose, ...transferFields, ...preparationFields })
  .meta({ id: 'PrepareTransfer' });

/** The typed data of a transfer, for its holder to sign; see {@link prepareHolderRequest}. */
export async function prepareTransfer(
  services: TenantServices,
  input: z.output<typeof transferPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const { issues, transfer } = await draftTransfer(services, input);
  const call = transfer && encodeTransfer(transfer);
  return await prepareHolderRequest(services, input, { issues, draft: transfer, call });
}
