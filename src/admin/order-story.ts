import { formatEther, formatGwei } from 'viem';
import { z } from 'zod';
import type { Account } from '../accounts/account.ts';
import { notFound } from '../core/domain-error.ts';
import { instantField } from '../core/fields.ts';
import { pageRange } from '../core/paging.ts';
import { cancelOrder } from '../orders/cancel-order.ts';
import type { Job } from '../engine/job.ts';
import { orderProgress } from '../engine/order-row.store.ts';
import { requestCancel } from '../orders/request-cancel.store.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import type { AskedChange } from '../platform/database/client.ts';
import { orderKinds } from '../orders/kinds.ts';
import { servicesFor, type Services, type TenantServices } from '../services.ts';
import { listDeliveries } from '../webhooks/deliveries.store.ts';
import { deliveryReply, deliveryReplySchema } from '../webhooks/delivery-reply.ts';
import { findEndpoints } from '../webhooks/endpoints.store.ts';
import { findAccount, findOrders, type FoundOrder } from './orders.store.ts';
import { ORDER_KINDS, orderSummary, orderSummarySchema } from './search-orders.ts';

/** The most deliveries shown. */
const MAX_DELIVERIES = 100;

const replySchemas = [
  ...new Set([...orderKinds.values()].flatMap(({ events }) => (events === null ? [] : [events.data]))),
];

const attemptSchema = z
  .object({
    number: z.int().meta({ description: 'From 1', example: 1 }),
    nonce: z.int().meta({ description: 'Of the signed transaction', example: 12 }),
    hash: z.string().meta({ description: 'Of the signed transaction', example: `0x${'5e'.repeat(32)}` }),
    purpose: z
      .enum(['effect', 'cancel'])
      .meta({ description: 'effect executes the order; cancel replaces it with a zero-value transfer' }),
    gasLimit: z.int().meta({ description: 'The gas limit', example: 92_477 }),
    maxFeePerGas: z.string().meta({ description: 'Gwei, decimal', example: '52' }),
    maxPriorityFeePerGas: z.string().meta({ description: 'Gwei, decimal', example: '1' }),
    isMined: z.boolean().meta({ description: 'Whether this one ended the order' }),
    createdAt: instantField.meta({ description: 'When it was signed, UTC', example: '2026-11-02T09:30:00.000Z' }),
  })
  .meta({ id: 'TransactionAttempt' });

export const orderStorySchema = orderSummarySchema
  .extend({
    order: z.union(replySchemas).meta({ description: 'The order as its account reads it' }),
    blockNumber: z.int().nullable().meta({ description: 'Of the transaction that ended it', example: 51_234_567 }),
    isFinal: z.boolean().meta({ description: 'Whether its block can no longer be reorganized out' }),
    endings: z.int().meta({ description: 'How often it has ended; more than once after a reorganization', example: 1 }),
    sharedBy: z.int().meta({ description: 'How many orders share its transaction; 1 if it has its own', example: 1 }),
    spent: z.string().nullable().meta({
      description:
        'Coins, decimal: what it has cost, or the most that it may cost; null if nothing is signed, or if it shares its transaction',
      example: '0.001523',
    }),
    attempts: z.array(attemptSchema).meta({ description: 'What was signed for it, oldest first' }),
    deliveries: z
      .array(
        deliveryReplySchema.extend({
          url: z
            .string()
            .nullable()
            .meta({ description: 'Where it goes; null: WEBHOOK_URL', example: 'https://example.com/hooks' }),
        }),
      )
      .meta({ description: `The deliveries of its events, newest first, at most ${MAX_DELIVERIES}` }),
  })
  .meta({ id: 'OrderStory' });

/** A request of the operator for something of an account. */
export interface OperatorRequest extends Pick<TenantServices, 'log' | 'origin' | 'newId' | 'isRetry'> {
  /** In a request that changes something. */
  readonly asked: AskedChange | undefined;
  /** Called with the account once it is known. */
  readonly noteAccount: (account: Account) => void;
}

/** Everything about an order of any account. @throws {DomainError} `not-found`. */
export async function orderStory(
  services: Services,
  request: OperatorRequest,
  orderId: string,
): Promise<z.output<typeof orderStorySchema>> {
  const { tenant, kind, found } = await findOrder(services, request, orderId);
  const [stored, { rows: deliveries }, endpoints] = await Promise.all([
    requestCancel(tenant.db, [kind], orderId, null),
    listDeliveries(tenant.db, { orderId }, { ...pageRange({}), take: MAX_DELIVERIES }),
    findEndpoints(tenant.db),
  ]);
  const job = stored?.job;
  if (job === undefined) throw notFound('Order');
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  const { transaction } = job;
  return {
    ...orderSummary(found),
    order: job.kind.resource?.reply(job.claim, orderProgress(job.transaction)),
    blockNumber: transaction.blockNumber,
    isFinal: transaction.isFinal,
    endings: transaction.endings,
    sharedBy: transaction.bundleSize ?? 1,
    spent: transaction.spentWei === null ? null : formatEther(BigInt(transaction.spentWei)),
    attempts: [...job.earlier, ...job.attempts].map((attempt) => attemptReply(job, attempt)),
    deliveries: deliveries.map((delivery) => ({
      ...deliveryReply(delivery),
      url: urls.get(delivery.webhookEndpointId) ?? null,
    })),
  };
}

/**
 * {@link cancelOrder} for the operator, on behalf of the order's account.
 * @throws {DomainError} `not-found`; `conflict` if it has ended.
 */
export async function cancelAnyOrder(
  services: Services,
  request: OperatorRequest,
  orderId: string,
): Promise<z.output<typeof orderSummarySchema>> {
  const { tenant, kind, found } = await findOrder(services, request, orderId);
  await cancelOrder(tenant, [kind], orderId);
  return orderSummary((await findNewestOrder(services, orderId)) ?? found);
}

async function findOrder(services: Services, request: OperatorRequest, orderId: string) {
  const found = await findNewestOrder(services, orderId);
  if (found === undefined) throw notFound('Order');
  return { found, kind: requireKind(found), tenant: await asAccount(services, request, found.corporateId) };
}

/**
 * The order with an id: of a deployment and the ownership transfer that follows it, which share theirs, the latter. A
 * bundle has the id of an order too, and is none.
 */
async function findNewestOrder({ db }: Services, orderId: string): Promise<FoundOrder | undefined> {
  const orders = await findOrders(db, ORDER_KINDS, { type: 'order', orderId }, 2);
  return orders.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())[0];
}

/** The admin key is a setting, which does not change during a request. */
const always = () => Promise.resolve();

/** The services of a request of the operator on behalf of an account. @throws {DomainError} `not-found`. */
export async function asAccount(
  services: Services,
  request: OperatorRequest,
  corporateId: string,
): Promise<TenantServices> {
  const account = await findAccount(services.db, corporateId);
  if (account === undefined) throw notFound('Account');
  request.noteAccount(account);
  const { log, origin, newId, isRetry, asked } = request;
  const own = {
    log,
    origin,
    newId,
    isRetry,
    account,
    actor: { type: 'operator' },
    requireStillAllowed: always,
  } as const;
  return servicesFor(services, own, asked);
}

function requireKind({ kind: name }: FoundOrder): AnyOrderKind {
  const kind = orderKinds.get(name);
  if (kind === undefined) throw notFound('Order');
  return kind;
}

const gwei = (wei: string) => formatGwei(BigInt(wei));

function attemptReply({ transaction }: Job, attempt: Job['attempts'][number]): z.output<typeof attemptSchema> {
  const { number, nonce, hash, purpose, gas: gasLimit } = attempt;
  return {
    number,
    nonce,
    hash,
    purpose,
    gasLimit,
    maxFeePerGas: gwei(attempt.maxFeePerGas),
    maxPriorityFeePerGas: gwei(attempt.maxPriorityFeePerGas),
    isMined: hash === transaction.txHash,
    createdAt: attempt.createdAt.toISOString(),
  };
}
