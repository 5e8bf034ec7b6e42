import { notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { findEndpoint } from './endpoints.store.ts';
import type { Endpoint } from './endpoints.store.ts';

/** @throws {DomainError} `not-found` where the account has no such endpoint. */
export async function getEndpoint({ db }: Pick<TenantServices, 'db'>, id: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, id);
  if (endpoint === undefined) throw notFound('Webhook endpoint');
  return endpoint;
}
