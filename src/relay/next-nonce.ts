/**
 * The nonce that a signer's next request must have: the forwarder's nonce, skipping those of accepted requests.
 * @param onChain The forwarder's nonce for the signer.
 * @param open The nonces of accepted requests that are not settled; some may already be mined.
 */
export function nextNonce(onChain: bigint, open: readonly bigint[]): bigint {
  const taken = new Set(open);
  let next = onChain;
  while (taken.has(next)) next += 1n;
  return next;
}

/** The nonces around the expected one, nearest first, to identify the one that was signed by mistake. */
export function nearNonces(expected: bigint, distance = 8n): bigint[] {
  const near = [expected];
  for (let step = 1n; step <= distance; step += 1n) {
    near.push(expected + step);
    if (expected >= step) near.push(expected - step);
  }
  return near;
}
