/** What the clocks of nodes and of the service may differ by. */
export const CLOCK_MARGIN_MS = 10 * 60_000;
