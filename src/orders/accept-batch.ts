import { z } from 'zod';
import { namedChainIssues } from '../chains/allowed-chain.ts';
import { DomainError, invalidInput, issuesOf } from '../core/domain-error.ts';
import { OrdersRefused } from '../limits/orders-refused.ts';
import type { AcceptingDb } from '../limits/limits.store.ts';
import { withinLimits } from '../limits/within-limits.ts';
import type { TenantServices } from '../services.ts';

/** What a batch consists of. */
type Noun = 'order' | 'claim' | 'revocation';

/** The most items in one request. */
const MAX_ITEMS = 100;

/** The items of a batch, which are parsed individually, so that an invalid one does not affect the others. */
export function batchItems(noun: Noun, { schema, path }: { readonly schema: string; readonly path: string }) {
  return z
    .array(z.unknown())
    .min(1, `must have at least one ${noun}`)
    .max(MAX_ITEMS, `must have at most ${MAX_ITEMS} ${noun}s`)
    .meta({
      type: 'array',
      minItems: 1,
      maxItems: MAX_ITEMS,
      items: { $ref: `#/components/schemas/${schema}` },
      description: `Each in the form of ${path}`,
    });
}

/** Accepts items that have ids. @returns each item, or why it is refused, by its id. */
type AcceptAll<Input, Result> = (
  services: TenantServices,
  inputs: readonly (Input & { readonly id: string })[],
) => Promise<ReadonlyMap<string, Result | DomainError>>;

/** Accepts one item. @throws {DomainError} why it is refused. */
export async function acceptOne<Input extends object, Result extends object>(
  services: TenantServices,
  input: Input,
  acceptAll: AcceptAll<Input, Result>,
): Promise<Result> {
  const id = services.newId();
  const result = (await acceptAll(services, [{ ...input, id }])).get(id);
  if (result === undefined || result instanceof DomainError) throw result ?? new Error('An item had no result');
  return result;
}

/**
 * Accepts or refuses each item individually.
 * @param items The items of the request. @param schema The schema of one item.
 * @returns the result or the refusal of each, in order.
 */
export async function acceptEach<Input extends object, Result extends object>(
  services: TenantServices,
  items: readonly unknown[],
  schema: z.ZodType<Input>,
  acceptAll: AcceptAll<Input, Result>,
): Promise<(Result | DomainError)[]> {
  // Each item gets an id, even if it is refused, so that a retry finds the others.
  const parsed = items.map((item) => ({ id: services.newId(), item, ...schema.safeParse(item) }));
  const valid = parsed.flatMap(({ id, data }) => (data === undefined ? [] : [{ ...data, id }]));
  const results = await acceptAll(services, valid);
  return parsed.map(({ id, item, error }) => {
    const result = error === undefined ? results.get(id) : refusedForm(services, item, error);
    if (result === undefined) throw new Error('An item had no result');
    return result;
  });
}

/** Why a retry does not accept what the first attempt has refused, although nothing is against it now. */
const REFUSED_BEFORE = 'The first attempt with this Idempotency-Key refused it: send it with another one';

/**
 * Stores the orders that nothing refuses, such as the account's limits: after a refusal, the others are tried again. A
 * retry stores nothing: orders accepted by the first attempt were found before.
 * @param store Stores all of them or, with {@link OrdersRefused}, none.
 * @returns the results of `store`, and why the others are refused, by their ids.
 */
export async function storeWithinLimits<Order extends { readonly id: string }, Stored>(
  services: TenantServices,
  accepted: readonly Order[],
  store: (db: AcceptingDb, orders: readonly Order[]) => Promise<Stored>,
): Promise<{ readonly stored: Stored; readonly refused: ReadonlyMap<string, DomainError> }> {
  const again = services.isRetry ? accepted : [];
  const refused = new Map(again.map(({ id }) => [id, new DomainError('conflict', REFUSED_BEFORE)]));
  for (;;) {
    const left = accepted.filter(({ id }) => !refused.has(id));
    try {
      return { stored: await withinLimits(services, (db) => store(db, left)), refused };
    } catch (error) {
      if (!(error instanceof OrdersRefused)) throw error;
      for (const [id, refusal] of error.refusals) refused.set(id, refusal);
    }
  }
}

function refusedForm({ chains }: TenantServices, item: unknown, error: z.ZodError): DomainError {
  const issues = issuesOf(error);
  return invalidInput([...namedChainIssues(chains, item, issues), ...issues]);
}
