import { z } from 'zod';
import { holdingFields } from '../../relay/draft-holding.ts';
import { prepareHolderRequest } from '../../relay/prepare-holder-request.ts';
import { preparationFields } from '../../relay/prepare-request.ts';
import type { preparedRequestSchema } from '../../relay/prepare-request.ts';
import type { TenantServices } from '../../services.ts';
import { draftBurn } from './draft-burn.ts';

/** POST /burn/prepare. */
export const burnPreparationInput = z
  .strictObject({ ...holdingFields, ...preparationFields })
  .meta({ id: 'PrepareBurn' });

/** The typed data of a burn, for its holder to sign; see {@link prepareHolderRequest}. */
export async function prepareBurn(
  services: TenantServices,
  input: z.output<typeof burnPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  return await prepareHolderRequest(services, input, await draftBurn(services, input));
}
