import { expect, it } from 'vitest';
import { mergePatch } from './json-value.ts';

/** Appendix A of RFC 7396. */
it.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j', (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

it('a key that names a prototype is a key like any other', () => {
  const patch: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"a": 1}}');
  const merged = mergePatch({}, patch);
  expect([JSON.stringify(merged), Reflect.get({}, 'polluted')]).toEqual([
    '{"__proto__":{"polluted":true},"constructor":{"a":1}}',
    undefined,
  ]);
});

it('a patch of any depth is applied without overflowing the stack', () => {
  const patch: unknown = JSON.parse('{"a":'.repeat(80_000) + '1' + '}'.repeat(80_000));
  expect(mergePatch({}, patch)).toHaveProperty('a.a.a');
});
