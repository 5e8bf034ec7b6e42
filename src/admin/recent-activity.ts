import { z } from 'zod';
import { instantField, recordIdField } from '../core/fields.ts';
import { ATTEMPT_STATUSES } from '../core/delivery-status.ts';
import { ORDER_STATUS } from '../core/order-status.ts';
import type { Services } from '../services.ts';
import { newestActivity } from './activity.store.ts';

/** Specification, Limits: fixed. */
const LIMIT = 30;
/** How far back the list can be paged; the tables go further back. */
const MAX_OFFSET = 10_000;

export const recentActivityQuery = z.object({
  offset: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().max(MAX_OFFSET, `must be ${MAX_OFFSET} or less`))
    .optional()
    .meta({ type: 'integer', description: `How many items to skip; default 0, at most ${MAX_OFFSET}` }),
});

const common = { corporateId: z.string(), createdAt: instantField, updatedAt: instantField };

const orderItemSchema = z
  .object({
    type: z.literal('minting_order'),
    id: recordIdField,
    status: z.enum(ORDER_STATUS),
    mode: z.enum(['direct', 'relay']),
    chainId: z.string(),
    contractAddress: z.string(),
    receiverAddress: z.string(),
    tokenId: z.string(),
    amount: z.int(),
    metadataId: recordIdField,
    txHash: z.string().nullable(),
    errorMessage: z.string().nullable(),
    completedAt: instantField.nullable(),
    ...common,
  })
  .meta({ id: 'MintingOrderActivity' });

const logItemSchema = z
  .object({
    type: z.literal('webhook_log'),
    id: recordIdField,
    event_type: z.string(),
    target_url: z.string(),
    related_order_id: recordIdField.nullable(),
    payload_sent: z.string().meta({ description: 'The exact body; empty after WEBHOOK_BODY_RETENTION_DAYS' }),
    status: z.enum(ATTEMPT_STATUSES),
    response_status_code: z.int().nullable(),
    error_message: z.string().nullable(),
    attempt: z.int(),
    ...common,
  })
  .meta({ id: 'WebhookLogActivity' });

export const recentActivitySchema = z
  .object({
    items: z.array(z.discriminatedUnion('type', [orderItemSchema, logItemSchema])),
    limit: z.literal(LIMIT),
    offset: z.int(),
    nextOffset: z.int().nullable().meta({ description: 'null on the last page' }),
  })
  .meta({ id: 'RecentActivity' });

/** One page of the most recent activity of all accounts. */
export async function recentActivity({ db }: Services, offset: number): Promise<z.output<typeof recentActivitySchema>> {
  const rows = await newestActivity(db, offset, LIMIT + 1);
  const items = rows.slice(0, LIMIT).map((row) => {
    const { corporateId } = row;
    if (row.type === 'minting_order') {
      const { order } = row;
      return {
        type: row.type,
        id: order.id,
        status: order.status,
        mode: order.mode,
        chainId: order.chainId,
        contractAddress: order.contractAddress,
        receiverAddress: order.receiverAddress,
        tokenId: order.tokenId,
        amount: order.amount,
        metadataId: order.metadataId,
        txHash: order.txHash,
        errorMessage: order.errorMessage,
        completedAt: order.completedAt?.toISOString() ?? null,
        corporateId,
        createdAt: order.createdAt.toISOString(),
        updatedAt: order.updatedAt.toISOString(),
      };
    }
    const { log } = row;
    return {
      type: row.type,
      id: log.id,
      event_type: log.eventType,
      target_url: log.targetUrl,
      related_order_id: log.relatedOrderId,
      payload_sent: log.payloadSent,
      status: log.status,
      response_status_code: log.responseStatusCode,
      error_message: log.errorMessage,
      attempt: log.attempt,
      corporateId,
      createdAt: log.createdAt.toISOString(),
      updatedAt: log.updatedAt.toISOString(),
    };
  });
  const nextOffset = offset + LIMIT;
  return {
    items,
    limit: LIMIT,
    offset,
    nextOffset: rows.length > LIMIT && nextOffset <= MAX_OFFSET ? nextOffset : null,
  };
}
