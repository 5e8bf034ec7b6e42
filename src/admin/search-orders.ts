import { z } from 'zod';
import { chainDefinition, DEFAULT_CHAIN } from '../chains/list.ts';
import { HOLD_REASONS, END_STATES, UNFINISHED_STATES } from '../core/order-status.ts';
import { contractAddressField, hashField, instantField, recordIdField, tokenIdField } from '../core/fields.ts';
import { invalidInput } from '../core/domain-error.ts';
import { orderKinds } from '../orders/kinds.ts';
import type { Services } from '../services.ts';
import { findOrders, type FoundOrder, type OrderSearch } from './orders.store.ts';

const LIMIT = 50;
const ADDRESS = `0x${'8b'.repeat(20)}`;
const INSTANT = '2026-11-02T09:30:00.000Z';

const SEARCH = /^\s*(?:[0-9a-f]{24}|0[xX][0-9a-fA-F]{64}|0[xX][0-9a-fA-F]{40}(?:[\s/]+(?:0|[1-9]\d{0,77}))?)?\s*$/;
const searchMessage = 'must be an order id, a transaction hash, an address or contract/tokenId';

export const orderSearchQuery = z.object({
  q: z.string().max(200).regex(SEARCH, searchMessage).optional().meta({
    description:
      'An order id, a transaction hash, an address (a wallet that signs, a contract, a receiver, a former holder or a new owner), or a token as `contract/tokenId`. Default: the newest orders',
    example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72/1',
  }),
});

export const orderSummarySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    kind: z.string().meta({ description: 'The kind of order', example: 'mint' }),
    corporateId: z.string().meta({ description: 'The account', example: 'demo' }),
    chainId: z.string().meta({ description: 'The chain', example: DEFAULT_CHAIN.id }),
    walletAddress: z.string().meta({ description: 'The wallet that signs, in lower case', example: ADDRESS }),
    state: z.enum([...UNFINISHED_STATES, ...END_STATES]).meta({
      description: 'waiting: nothing that can be mined is signed; signed: it has a nonce; the others are final',
    }),
    nonce: z.int().nullable().meta({ description: 'Of its transaction; null if it has none', example: 12 }),
    txHash: z
      .string()
      .nullable()
      .meta({ description: 'The mined transaction that ended it', example: `0x${'5e'.repeat(32)}` }),
    hold: z.enum(HOLD_REASONS).nullable().meta({ description: 'Why it is not signed now' }),
    cancelRequestedAt: instantField
      .nullable()
      .meta({ description: 'When its cancellation was requested, UTC', example: INSTANT }),
    explorerUrl: z.url().meta({
      description: "The chain's block explorer: `/tx/{hash}` and `/address/{address}`",
      example: DEFAULT_CHAIN.explorerUrl,
    }),
    createdAt: instantField.meta({ description: 'When it was accepted, UTC', example: INSTANT }),
    updatedAt: instantField.meta({ description: 'When its transaction last changed, UTC', example: INSTANT }),
  })
  .meta({ id: 'OrderSummary' });

export const orderSearchSchema = z
  .object({ items: z.array(orderSummarySchema).meta({ description: `Newest first, at most ${LIMIT}` }) })
  .meta({ id: 'OrderSearch' });

/** The names of the kinds that are orders of customers. */
export const ORDER_KINDS = [...orderKinds.values()].filter(({ orders }) => orders !== null).map(({ name }) => name);

/** Finds orders of all accounts. @throws {DomainError} `invalid` if `q` is nothing that can be searched for. */
export async function searchOrders(
  { db }: Services,
  q: string | undefined,
): Promise<z.output<typeof orderSearchSchema>> {
  return { items: (await findOrders(db, ORDER_KINDS, searchOf(q?.trim() ?? ''), LIMIT)).map(orderSummary) };
}

function searchOf(q: string): OrderSearch {
  if (q === '') return { type: 'newest' };
  const order = recordIdField.safeParse(q);
  if (order.success) return { type: 'order', orderId: order.data };
  const hash = hashField.safeParse(q.toLowerCase());
  if (hash.success) return { type: 'transaction', hash: hash.data };
  const [first = '', second, ...others] = q.toLowerCase().split(/[\s/]+/);
  const address = contractAddressField.safeParse(first);
  if (address.success && second === undefined) return { type: 'address', address: address.data };
  const tokenId = tokenIdField.safeParse(second);
  if (address.success && tokenId.success && others.length === 0) {
    return { type: 'token', contractAddress: address.data, tokenId: tokenId.data };
  }
  throw invalidInput([{ path: 'q', message: searchMessage }]);
}

export function orderSummary({ holdReason, ...order }: FoundOrder): z.output<typeof orderSummarySchema> {
  return {
    ...order,
    hold: holdReason === null ? null : HOLD_REASONS[holdReason],
    explorerUrl: chainDefinition(order.chainId).explorerUrl,
    cancelRequestedAt: order.cancelRequestedAt?.toISOString() ?? null,
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
  };
}
