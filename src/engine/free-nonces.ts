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
