/**
 * The lowest free nonces.
 * @param first The lowest nonce that may be used; all below are mined or known to be used.
 * @param held Nonces held by the lane's transactions, including ended ones.
 */
export function freeNonces(first: number, held: ReadonlySet<number>, count: number): number[] {
  const free: number[] = [];
  for (let nonce = first; free.length < count; nonce += 1) if (!held.has(nonce)) free.push(nonce);
  return free;
}

/**
 * The free nonces below the highest one in flight. They block every nonce above them.
 * @param mined The wallet's mined transaction count.
 */
export function gaps(mined: number, held: ReadonlySet<number>, inFlight: readonly number[]): number[] {
  const highest = Math.max(mined, ...inFlight);
  const missing: number[] = [];
  for (let nonce = mined; nonce < highest; nonce += 1) if (!held.has(nonce)) missing.push(nonce);
  return missing;
}
