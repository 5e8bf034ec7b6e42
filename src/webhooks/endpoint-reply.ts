import { z } from 'zod';
import { instantField, recordIdField } from '../core/fields.ts';
import type { Endpoint } from './endpoints.store.ts';

const fields = {
  id: recordIdField,
  managedBy: z.enum(['operator', 'account']).meta({
    description: "operator: the account's webhook, which the operator sets; it can be read and tested, not changed",
  }),
  url: z.string().nullable().meta({ description: 'null: the default of the service' }),
  description: z.string().nullable(),
  eventTypes: z.array(z.string()).nullable().meta({ description: 'null: the ends of all orders' }),
  status: z.enum(['ENABLED', 'DISABLED']),
  chainKind: z
    .enum(['main', 'test'])
    .nullable()
    .meta({ description: 'The kind of chains whose events it gets: that of the key that created it; null: both' }),
  previousSecretExpiresAt: instantField.nullable().meta({ description: 'Until then the former secret signs too' }),
  createdAt: instantField,
  updatedAt: instantField,
};

/** An endpoint, without its secret. */
export const endpointReplySchema = z.object(fields).meta({ id: 'WebhookEndpoint' });

/** An endpoint with its new secret: shown once. */
export const endpointSecretSchema = z
  .object({ ...fields, secret: z.string().meta({ description: 'whsec_ and base64; shown in this reply only' }) })
  .meta({ id: 'WebhookEndpointWithSecret' });

export function endpointReply(endpoint: Endpoint): z.output<typeof endpointReplySchema> {
  return {
    id: endpoint.id,
    managedBy: endpoint.managedBy,
    url: endpoint.url,
    description: endpoint.description,
    eventTypes: endpoint.eventTypes,
    status: endpoint.status === 'ENABLED' ? 'ENABLED' : 'DISABLED',
    chainKind: endpoint.chainKind,
    previousSecretExpiresAt: endpoint.secretPreviousExpiresAt?.toISOString() ?? null,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}
