import { z } from 'zod';
import { namedChainIssues } from '../../chains/allowed-chain.ts';
import { DomainError, invalidInput, issuesOf } from '../../core/domain-error.ts';
import { LimitExceeded } from '../../engine/account-limits.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../engine/within-limits.ts';
import type { TenantServices } from '../../services.ts';
import { conflictOf, draftOrders, orderInput } from './draft-orders.ts';
import type { OrderInput } from './draft-orders.ts';
import { mintKind } from './mint-kind.ts';
import { forestalled } from './mint-rules.ts';
import { insertOrders } from './minting-orders.store.ts';
import type { MintingOrder, NewMintingOrder } from './minting-orders.store.ts';

/**
 * Accepts mints individually: stores the orders as PENDING and wakes their lanes. It takes one round trip for the checks
 * and one for the inserts, whatever the number of orders; and one more, or two with a notice, if the account's limits refuse some of them. Two orders for the same ERC-721 metadata are decided by a
 * database constraint, within one call as well as between two; whether a token has another document, by the statements that insert.
 * @returns for each input, in order, the order or why it is refused.
 */
async function acceptMints(
  services: TenantServices,
  inputs: readonly OrderInput[],
): Promise<(MintingOrder | DomainError)[]> {
  const drafts = await Promise.all(
    (await draftOrders(services, inputs)).map(async (draft) =>
      draft instanceof DomainError ? draft : ((await conflictOf(services, draft)) ?? draft.order),
    ),
  );
  const accepted = drafts.flatMap((draft) =>
    draft instanceof DomainError ? [] : [{ ...draft, mode: 'direct' as const }],
  );
  const { account } = services;
  const { stored, refused } = await storeWithinLimits(services, accepted);
  const orders = new Map(stored.map((order) => [order.id, order]));
  const lanes = stored.map(({ chainId }) => laneOf(chainId, account.walletAddress));
  await wakeLanes(services, mintKind, lanes);
  return drafts.map((draft) =>
    draft instanceof DomainError ? draft : (orders.get(draft.id) ?? refused.get(draft.id) ?? forestalled(draft)),
  );
}

/** Stores those that the account's limits allow: without the others, which they have named, the rest is tried again. */
async function storeWithinLimits(services: TenantServices, accepted: readonly NewMintingOrder[]) {
  const { db, account, clock } = services;
  const refused = new Map<string, DomainError>();
  for (;;) {
    const left = accepted.filter(({ id }) => !refused.has(id));
    try {
      const now = new Date(clock.now());
      const stored = await withinLimits(services, () => insertOrders(db, mintKind, account.walletAddress, left, now));
      return { stored, refused };
    } catch (error) {
      if (!(error instanceof LimitExceeded)) throw error;
      for (const [id, refusal] of error.refusals) refused.set(id, refusal);
    }
  }
}

/** {@link acceptMints} for one order. @throws {DomainError} why it is refused. */
export async function acceptMint(services: TenantServices, input: OrderInput): Promise<MintingOrder> {
  const [result] = await acceptMints(services, [input]);
  if (result === undefined || result instanceof DomainError) throw result ?? new Error('An order had no result');
  return result;
}

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

function refusedForm({ chains }: TenantServices, order: unknown, error: z.ZodError): DomainError {
  const issues = issuesOf(error);
  return invalidInput([...namedChainIssues(chains, order, issues), ...issues]);
}

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
    const result = error === undefined ? results.get(index) : refusedForm(services, orders[index], error);
    if (result === undefined) throw new Error('An order had no result');
    return result;
  });
}
