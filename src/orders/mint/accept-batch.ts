import { z } from 'zod';
import { invalidInput, issuesOf } from '../../core/domain-error.ts';
import type { DomainError } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { acceptMints } from './accept-mints.ts';
import { orderInput } from './draft-orders.ts';
import type { MintingOrder } from './minting-orders.store.ts';

/** The most orders in one request. */
const MAX_ORDERS = 100;

/** The orders are parsed individually, so that an invalid one does not affect the others. */
export const batchInput = z
  .strictObject({
    orders: z
      .array(z.unknown())
      .min(1, 'must have at least one order')
      .max(MAX_ORDERS, `must have at most ${MAX_ORDERS} orders`)
      .meta({
        type: 'array',
        minItems: 1,
        maxItems: MAX_ORDERS,
        items: { $ref: '#/components/schemas/CreateMintingOrder' },
        description: 'Each in the form of POST /minting/order',
      }),
  })
  .meta({ id: 'CreateMintingOrders' });

/** Accepts or refuses each order individually. @returns for each, in order, the order or why it is refused. */
export async function acceptBatch(
  services: TenantServices,
  { orders }: z.output<typeof batchInput>,
): Promise<(MintingOrder | DomainError)[]> {
  const parsed = orders.map((order) => orderInput.safeParse(order));
  const valid = parsed.flatMap(({ data }, index) => (data === undefined ? [] : [{ index, data }]));
  const created = await acceptMints(
    services,
    valid.map(({ data }) => data),
  );
  const results = new Map(valid.map(({ index }, position) => [index, created[position]]));
  return parsed.map(({ error }, index) => {
    const result = error === undefined ? results.get(index) : invalidInput(issuesOf(error));
    if (result === undefined) throw new Error('An order had no result');
    return result;
  });
}
