import { DomainError } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { conflictError, findConflict, type OrderDraft } from './draft-orders.ts';
import { knownConflicts, mayExist } from './mint-rules.ts';

/** After how many refusals by the chain it is asked for no further mint of a request. */
const MAX_REFUSALS = 10;

/**
 * Why each of the drafts cannot be stored now, as {@link findConflict}; undefined if it can. The chain is asked only for
 * those that nothing else refuses, for a few and then for as many as were free. That it is asked, and each mint that it
 * refuses, counts as a read of the account: a refused mint costs a call to a node and has no other limit. Beyond that
 * limit, and after `maxRefusals`, what is left is refused without asking.
 * @param drafts Or why there is none.
 */
export async function conflictsAmong(
  services: TenantServices,
  drafts: readonly (OrderDraft | DomainError)[],
  maxRefusals = MAX_REFUSALS,
): Promise<(DomainError | undefined)[]> {
  const results = drafts.map((draft) =>
    draft instanceof DomainError ? draft : conflictError(knownConflicts(services, draft.order, draft.subjects)),
  );
  let left = drafts.flatMap((draft, index) =>
    draft instanceof DomainError || results[index] !== undefined || !mayExist(services, draft.subjects)
      ? []
      : [{ draft, index }],
  );
  if (left.length === 0) return results;
  let stop = await services.countRead();
  let free = 0;
  let refused = 0;
  while (left.length > 0 && stop === undefined) {
    const asked = left.slice(0, MAX_REFUSALS + free);
    left = left.slice(asked.length);
    const conflicts = await Promise.all(asked.map(({ draft }) => findConflict(services, draft)));
    for (const [place, { index }] of asked.entries()) {
      const conflict = conflicts[place];
      results[index] = conflict;
      if (conflict === undefined) {
        free += 1;
      } else {
        refused += 1;
        stop ??= await services.countRead();
      }
    }
    if (refused >= maxRefusals) stop ??= notLookedUp();
  }
  for (const { index } of left) results[index] = stop;
  return results;
}

/**
 * Counts as reads of the account what the chain was asked for in vain, since the account's limits refuse the mints.
 * @param refused By their ids.
 */
export async function countRefused(
  services: TenantServices,
  drafts: readonly (OrderDraft | DomainError)[],
  refused: ReadonlyMap<string, DomainError>,
): Promise<void> {
  const asked = drafts.filter(
    (draft) => !(draft instanceof DomainError) && refused.has(draft.order.id) && mayExist(services, draft.subjects),
  );
  await Promise.all(asked.map(() => services.countRead()));
}

function notLookedUp(): DomainError {
  const message = 'Not looked up: the chain refuses too many others of the request. Send this one again without them';
  return new DomainError('rate_limited', message, undefined, { retryAfterSeconds: 1 });
}
