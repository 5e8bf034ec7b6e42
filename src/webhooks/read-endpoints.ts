import type { z } from 'zod';
import { chainKindOf } from '../accounts/chains-of-actor.ts';
import type { Actor } from '../accounts/actor.ts';
import { DomainError, notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { findEndpoint, findEndpoints, type Endpoint } from './endpoints.store.ts';
import { endpointReply, type endpointReplySchema } from './endpoint-reply.ts';

/** @throws {DomainError} `not-found`; `forbidden` if it gets the events of chains that the caller's key is not for. */
export async function getEndpoint({ actor, db }: Pick<TenantServices, 'actor' | 'db'>, id: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, id);
  if (endpoint === undefined) throw notFound('Webhook endpoint');
  if (!isVisible(actor, endpoint)) {
    throw new DomainError('forbidden', `The endpoint only gets events of ${endpoint.chainKind} chains`);
  }
  return endpoint;
}

/** Whether a caller may see an endpoint: a key sees those of its kind of chains, and those of both kinds. */
function isVisible(actor: Actor, { chainKind }: Endpoint): boolean {
  const kind = chainKindOf(actor);
  return kind === undefined || chainKind === null || chainKind === kind;
}

/** The account's endpoints that the caller may see, oldest first. */
export async function listEndpoints({ actor, db }: TenantServices): Promise<z.output<typeof endpointReplySchema>[]> {
  return (await findEndpoints(db)).filter((endpoint) => isVisible(actor, endpoint)).map(endpointReply);
}
