import { z } from 'zod';
import { chainDefinition, DEFAULT_CHAIN } from '../chains/list.ts';
import { HOLD_REASONS, END_STATES, UNFINISHED_STATES } from '../platform/database/vocabulary/order-status.ts';
import {
  contractAddressField,
  hashField,
  instantField,
  recordIdField,
  textField,
  tokenIdField,
} from '../core/fields.ts';
import { invalidInput } from '../core/domain-error.ts';
import { pageFields, pageOf, pageRange, pageSchema, type Page } from '../core/paging.ts';
import { corporateNameReply } from '../core/reply-fields.ts';
import { orderKinds } from '../orders/kinds.ts';
import type { Services } from '../services.ts';
import { findOrders, listOrders, type FoundOrder, type OrderSearch } from './orders.store.ts';

const LIMIT = 50;
const ADDRESS = `0x${'8b'.repeat(20)}`;
const INSTANT = '2026-11-02T09:30:00.000Z';

const SEARCH = /^\s*(?:[0-9a-f]{24}|0[xX][0-9a-fA-F]{64}|0[xX][0-9a-fA-F]{40}(?:[\s/]+(?:0|[1-9]\d{0,77}))?)?\s*$/;
const searchMessage = 'must be an order id, a transaction hash, an address or contract/tokenId';

/** The names of the kinds that are orders of customers. */
export const ORDER_KINDS = [...orderKinds.values()].filter(({ resource }) => resource !== null).map(({ name }) => name);

export const orderSearchQuery = z.object({
  q: z.string().max(200).regex(SEARCH, searchMessage).optional().meta({
    description:
      'An order id, a transaction hash, an address (a wallet that signs, a contract, a receiver, a former holder or a new owner), or a token as `contract/tokenId`. Finds at most 50 orders; not with another parameter',
    example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72/1',
  }),
  state: z
    .enum([...UNFINISHED_STATES, ...END_STATES, 'unfinished', 'held'])
    .optional()
    .meta({ description: 'Only in this state; unfinished: waiting or signed; held: waiting, for a reason' }),
  kind: z.enum(ORDER_KINDS).optional().meta({ description: 'Only of this kind', example: 'mint' }),
  corporateId: textField(64).optional().meta({ description: 'Only of this account', example: 'demo' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only about this contract' }),
  text: textField(100).optional().meta({
    description:
      'Only with this text, in any letter case, in the name or corporateId of the account or in why the order failed or is held; or with this token id',
    example: 'insufficient funds',
  }),
  ...pageFields,
});

export const orderSummarySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    kind: z.string().meta({ description: 'The kind of order', example: 'mint' }),
    corporateId: z.string().meta({ description: 'The account', example: 'demo' }),
    corporateName: corporateNameReply,
    contractAddress: z
      .string()
      .nullable()
      .meta({ description: 'The contract, in lower case; null if it is not deployed', example: ADDRESS }),
    tokenId: z.string().nullable().meta({ description: 'Decimal; null if it is about no token', example: '1' }),
    errorMessage: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed; null if it did not', example: 'Reverted: TokenExists(1)' }),
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
    heldSince: instantField
      .nullable()
      .meta({ description: 'Held since, UTC; null if nothing holds it', example: INSTANT }),
    holdDetail: z
      .string()
      .nullable()
      .meta({ description: 'What holds it, in words', example: 'The operator has paused the account' }),
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

export const orderSearchSchema = pageSchema(orderSummarySchema).meta({ id: 'OrderSearch' });

/**
 * Orders of all accounts: those that `q` finds, or a page of those that the other conditions leave.
 * @throws {DomainError} `invalid` if `q` is nothing that can be searched for, or is not alone.
 */
export async function searchOrders(
  { db }: Services,
  { q, ...query }: z.output<typeof orderSearchQuery>,
): Promise<Page<z.output<typeof orderSummarySchema>>> {
  if (q !== undefined && q.trim() !== '') {
    if (Object.keys(query).length > 0) throw invalidInput([{ path: 'q', message: 'must be the only parameter' }]);
    return {
      items: (await findOrders(db, ORDER_KINDS, parseSearch(q.trim()), LIMIT)).map(orderSummary),
      nextCursor: null,
    };
  }
  const range = pageRange(query);
  const { rows, searchedTo } = await listOrders(db, ORDER_KINDS, query, range);
  return pageOf(rows, range, ({ order }) => orderSummary(order), searchedTo);
}

function parseSearch(q: string): OrderSearch {
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

export function orderSummary(found: FoundOrder): z.output<typeof orderSummarySchema> {
  const { transactionId: _, holdReason, ...order } = found;
  return {
    ...order,
    hold: holdReason === null ? null : HOLD_REASONS[holdReason],
    explorerUrl: chainDefinition(order.chainId).explorerUrl,
    heldSince: order.heldSince?.toISOString() ?? null,
    cancelRequestedAt: order.cancelRequestedAt?.toISOString() ?? null,
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
  };
}
