const SHORTEST_SECONDS = 1;
const LONGEST_SECONDS = 60;
/** Of the time for which nothing has changed, the part to wait until the next look. */
const PART = 1 / 10;

/**
 * After how many seconds to look again whether unfinished orders have ended: soon while they do, and seldom when
 * nothing happens, for a wallet without coins or a paused account.
 * @param idleMs Milliseconds since the import has last gone on.
 */
export function underWayDelay(idleMs: number): number {
  return Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, Math.ceil((idleMs / 1_000) * PART)));
}
