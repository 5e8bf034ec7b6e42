import { createHash } from 'node:crypto';

const hashOf = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

/** The root of the Merkle tree of RFC 6962, section 2.1, with these texts as its leaves. @returns hex. */
export function merkleRoot(leaves: readonly string[]): string {
  return treeOf(leaves.map((leaf) => hashOf(LEAF, leaf))).toString('hex');
}

function treeOf(hashes: readonly Buffer[]): Buffer {
  const [first, second] = hashes;
  if (first === undefined) return hashOf();
  if (second === undefined) return first;
  // The largest power of two below the number of leaves.
  const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return hashOf(NODE, treeOf(hashes.slice(0, split)), treeOf(hashes.slice(split)));
}
