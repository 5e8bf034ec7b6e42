import { z } from 'zod';
import { instantField, recordIdField } from '../core/fields.ts';
import type { Endpoint } from './endpoints.store.ts';

const fields = {
  id: recordIdField.meta({ description: 'Id of the endpoint' }),
  managedBy: z.enum(['operator', 'account']).meta({
    description: "operator: the account's webhook, which the operator sets; it can be read and tested, not changed",
  }),
  url: z.string().nullable().meta({
    description: 'Where events are sent; null: the default of the service',
    example: 'https://example.com/hooks',
  }),
  description: z.string().nullable().meta({ description: 'A note; null for none', example: 'Production' }),
  eventTypes: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Types of the events it gets; null: the ends of all orders', example: ['mint.confirmed'] }),
  status: z.enum(['ENABLED', 'DISABLED']).meta({ description: 'DISABLED: it gets no events' }),
  chainKind: z
    .enum(['main', 'test'])
    .nullable()
    .meta({ description: 'The kind of chains whose events it gets: that of the key that created it; null: both' }),
  previousSecretExpiresAt: instantField
    .nullable()
    .meta({ description: 'Until then the former secret signs too, UTC; null if there is none' }),
  createdAt: instantField,
  updatedAt: instantField,
};

/** An endpoint, without its secret. */
export const endpointReplySchema = z.object(fields).meta({ id: 'WebhookEndpoint' });

/** An endpoint with its new secret: shown once. */
export const endpointSecretSchema = z
  .object({
    ...fields,
    secret: z.string().meta({
      description: 'whsec_ and base64; shown in this reply only',
      example: `whsec_${'A'.repeat(43)}=`,
      pattern: '^whsec_[A-Za-z0-9+/]+=*$',
    }),
  })
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
