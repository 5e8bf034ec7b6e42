import { expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { merkleRoot } from './merkle-root.ts';

const sha256 = (hex: string) => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');
const leaf = (text: string) => sha256(`00${Buffer.from(text).toString('hex')}`);
const node = (left: string, right: string) => sha256(`01${left}${right}`);

it('is that of RFC 6962: the left half is the largest full tree', () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(leaf) as [string, string, string, string, string];
  expect(merkleRoot([])).toBe(sha256(''));
  expect(merkleRoot(['a'])).toBe(a);
  expect(merkleRoot(['a', 'b', 'c'])).toBe(node(node(a, b), c));
  expect(merkleRoot(['a', 'b', 'c', 'd', 'e'])).toBe(node(node(node(a, b), node(c, d)), e));
});
