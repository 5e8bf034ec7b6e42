import { z } from 'zod';
import { instantField, recordIdField, wholeNumberParameter } from '../core/fields.ts';
import { ATTEMPT_STATUSES } from '../platform/database/vocabulary/delivery-status.ts';
import type { Services } from '../services.ts';
import { orderReplySchema } from '../orders/mint/mint-kind.ts';
import { newestActivity } from './activity.store.ts';
import { corporateIdReply } from '../core/reply-fields.ts';

/** Specification, Limits: fixed. */
const LIMIT = 30;
/** How far back the list can be paged; the tables go further back. */
const MAX_OFFSET = 10_000;

export const recentActivityQuery = z.object({
  offset: wholeNumberParameter(0, MAX_OFFSET, {
    description: `How many items to skip; default 0, at most ${MAX_OFFSET}`,
    example: 0,
  }),
});

const common = {
  corporateId: corporateIdReply,
  createdAt: instantField,
  updatedAt: instantField.meta({ description: 'When it last changed, UTC' }),
};

const orderItemSchema = z
  .object({
    type: z.literal('minting_order').meta({ description: 'Tells the items apart' }),
    ...orderReplySchema.pick({
      id: true,
      status: true,
      mode: true,
      chainId: true,
      contractAddress: true,
      receiverAddress: true,
      tokenId: true,
      amount: true,
      metadataId: true,
      txHash: true,
      errorMessage: true,
      completedAt: true,
    }).shape,
    ...common,
  })
  .meta({ id: 'MintingOrderActivity' });

const logItemSchema = z
  .object({
    type: z.literal('webhook_log').meta({ description: 'Tells the items apart' }),
    id: recordIdField.meta({ description: 'Id of the attempt' }),
    event_type: z.string().meta({ description: 'Type of the event', example: 'mint.confirmed' }),
    target_url: z.string().meta({ description: 'Where it was sent', example: 'https://example.com/hooks' }),
    related_order_id: recordIdField
      .nullable()
      .meta({ description: 'Id of the order, contract or ownership transfer; null if the event is about none' }),
    payload_sent: z.string().meta({
      description: 'The exact body; empty after WEBHOOK_BODY_RETENTION_DAYS',
      example: '{"type":"mint.confirmed","timestamp":"2026-11-02T09:30:00.000Z","data":{}}',
    }),
    status: z
      .enum(ATTEMPT_STATUSES)
      .meta({ description: 'SUCCESS: 2xx. FAILED: no further attempt. RETRYING: another follows' }),
    response_status_code: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the response; null for none', example: 200 }),
    error_message: z
      .string()
      .nullable()
      .meta({ description: 'Why there was no response; null if there was one', example: 'The request timed out' }),
    attempt: z.int().meta({ description: 'Number of the attempt, from 1', example: 1 }),
    ...common,
  })
  .meta({ id: 'WebhookLogActivity' });

export const recentActivitySchema = z
  .object({
    items: z
      .array(z.discriminatedUnion('type', [orderItemSchema, logItemSchema]))
      .meta({ description: 'Most recently changed first' }),
    limit: z.literal(LIMIT).meta({ description: 'Items on a full page' }),
    offset: z.int().meta({ description: 'Items skipped', example: 0 }),
    nextOffset: z.int().nullable().meta({ description: 'Offset of the next page; null on the last', example: 30 }),
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
