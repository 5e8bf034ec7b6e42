/**
 * The lowest nonces that nothing holds.
 * @param first The lowest that may be used: what the chain has mined, and what is known to be taken, lies below.
 * @param held Nonces that transactions of the lane hold, ended ones too.
 */
export function freeNonces(first: number, held: ReadonlySet<number>, count: number): number[] {
  const free: number[] = [];
  for (let nonce = first; free.length < count; nonce += 1) if (!held.has(nonce)) free.push(nonce);
  return free;
}

/**
 * The nonces below the highest one in flight that nothing holds: nothing above them can be mined before they are
 * used.
 * @param mined How many transactions of the wallet are mined.
 */
export function gaps(mined: number, held: ReadonlySet<number>, inFlight: readonly number[]): number[] {
  const highest = Math.max(mined, ...inFlight);
  const missing: number[] = [];
  for (let nonce = mined; nonce < highest; nonce += 1) if (!held.has(nonce)) missing.push(nonce);
  return missing;
}
