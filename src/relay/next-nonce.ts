/**
 * The number that a signer's next request must carry: the forwarder's own, past those that accepted requests have.
 * @param onChain What the forwarder says.
 * @param open The numbers of requests that are accepted and not settled; some may be mined already.
 */
export function nextNonce(onChain: bigint, open: readonly bigint[]): bigint {
  const taken = new Set(open);
  let next = onChain;
  while (taken.has(next)) next += 1n;
  return next;
}

/** Numbers around the expected one, nearest first: what a signer that counted wrong will have signed. */
export function nearNonces(expected: bigint, distance = 8n): bigint[] {
  const near = [expected];
  for (let step = 1n; step <= distance; step += 1n) {
    near.push(expected + step);
    if (expected >= step) near.push(expected - step);
  }
  return near;
}
