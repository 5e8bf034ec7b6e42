import type { Random } from './random.ts';

/**
 * What may hold in a rich world, beside the faults of every world:
 * - `scarce`: blocks take only what pays a tip, which rises beyond the chain's cap at times, and nodes return logs of few
 *   blocks at a time
 * - `set back`: the database is set back where it is, while the chain and the storage of objects go on
 */
export const CONDITIONS = ['scarce', 'set back'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Draws what holds in a rich world, alone or together. */
export function drawConditions(random: Random): ReadonlySet<Condition> {
  const choice = random.fork('conditions');
  return new Set([choice.pick(CONDITIONS), ...CONDITIONS.filter(() => choice.chance(0.3))]);
}
