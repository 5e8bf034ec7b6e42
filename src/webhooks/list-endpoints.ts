import type { z } from 'zod';
import type { TenantServices } from '../services.ts';
import { endpointReply } from './endpoint-reply.ts';
import type { endpointReplySchema } from './endpoint-reply.ts';
import { findEndpoints } from './endpoints.store.ts';
import { isVisible } from './get-endpoint.ts';

/** The account's endpoints that the caller may see, oldest first. */
export async function listEndpoints({ actor, db }: TenantServices): Promise<z.output<typeof endpointReplySchema>[]> {
  return (await findEndpoints(db)).filter((endpoint) => isVisible(actor, endpoint)).map(endpointReply);
}
