import type { FaultEvent } from './faults.ts';
import type { Random } from './random.ts';

/**
 * What may hold in a rich world, beside the faults of every world:
 * - `scarce`: blocks take only what pays a tip, which rises beyond the chain's cap at times, and nodes return logs of few
 *   blocks at a time
 * - `late finality`: blocks are final hundreds of blocks later; some come in leaps
 * - `narrow windows`: few nonces of a wallet may be in flight
 * - `clocks apart`: each isolate has a clock of its own, and so has the chain; that of the database is always another
 * - `two providers`: the chain has two, each with nodes of its own, of which one fails, lags and lacks transactions
 * - `set back`: the database is set back where it is, while the chain and the storage of objects go on
 */
export const CONDITIONS = [
  'scarce',
  'late finality',
  'narrow windows',
  'clocks apart',
  'two providers',
  'set back',
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Draws what holds in a rich world, alone or together. */
export function drawConditions(random: Random): ReadonlySet<Condition> {
  const choice = random.fork('conditions');
  return new Set([choice.pick(CONDITIONS), ...CONDITIONS.filter(() => choice.chance(0.3))]);
}

/** What happens where they hold, besides what happens anyway. */
const EVENTS: Readonly<Partial<Record<Condition, readonly FaultEvent[]>>> = {
  'late finality': ['blocks-leap', 'reorganization'],
  'narrow windows': ['gossip-lost', 'node-forgets'],
  'two providers': ['provider-absent', 'provider-lags', 'gossip-lost', 'bodies-falsified', 'nonce-signed-elsewhere'],
};

/** The events that come with conditions. */
export function eventsOf(conditions: ReadonlySet<Condition>): readonly FaultEvent[] {
  return [...conditions].flatMap((one) => EVENTS[one] ?? []);
}
