/**
 * What each instance of the Worker counts: how long requests take, and the calls to nodes. No instance knows what
 * others count, so the database adds their counts up.
 */
export type TallyName = 'request' | 'node_call';

/** A count of one instance. */
export interface Tally {
  readonly name: TallyName;
  /** What was counted, such as `POST /minting/order 2xx`: of the code's own words, never of what a caller sends. */
  readonly subject: string;
  /**
   * The upper bound of what is counted in it, in milliseconds: one of {@link BOUNDS_MS}, or 0 for what is above them or
   * has no length.
   */
  readonly bound: number;
  readonly count: number;
  /** Of what is counted, in milliseconds. */
  readonly milliseconds: number;
}

/** The upper bounds between which the lengths of requests are counted, in milliseconds. */
export const BOUNDS_MS = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

const counted = new Map<string, Tally>();

/** Counts a request that took so long, in milliseconds. */
export function countRequest(subject: string, milliseconds: number): void {
  const bound = BOUNDS_MS.find((each) => milliseconds <= each) ?? 0;
  add({ name: 'request', subject, bound, count: 1, milliseconds });
}

/** Counts calls that are sent to a node, whatever becomes of them. */
export function countNodeCalls(chainId: string, methods: readonly string[]): void {
  for (const method of methods) {
    add({ name: 'node_call', subject: `${chainId} ${method}`, bound: 0, count: 1, milliseconds: 0 });
  }
}

/** What was counted since the last call. */
export function takeTallies(): Tally[] {
  const taken = [...counted.values()];
  counted.clear();
  return taken;
}

/** Counts again what was taken and could not be stored. */
export function returnTallies(tallies: readonly Tally[]): void {
  for (const tally of tallies) add(tally);
}

function add(tally: Tally): void {
  const key = `${tally.name} ${tally.subject} ${tally.bound}`;
  const known = counted.get(key);
  counted.set(
    key,
    known === undefined
      ? tally
      : { ...tally, count: known.count + tally.count, milliseconds: known.milliseconds + tally.milliseconds },
  );
}
