import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { repeatedMember } from './repeated-member.ts';

it.each([
  ['{"a":1,"a":1}', 'a'],
  ['{"a":{"b":[0,{"c":1,"d":[],"c":2}]}}', 'a.b.1.c'],
  ['[[],{},{"":1,"":2}]', '2.'],
  ['{ "a" : "," , "b" : "{", "a" : null }', 'a'],
  // One name in two spellings.
  [String.raw`{"a":1,"\u0061":2}`, 'a'],
  [String.raw`{"\"":1,"\"":2}`, '"'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
])('finds the member that an object has twice: %s', (json, path) => {
  expect(repeatedMember(json)).toBe(path);
});

it.each([
  '{"a":{"a":1},"b":{"a":2}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"a\\":1,\\"a\\":2","b":["a","a"],"A":1}',
  String.raw`{"a\\":1,"a":2}`,
  '"a"',
  '0',
])('finds none where every name is its object’s only one: %s', (json) => {
  expect(repeatedMember(json)).toBeUndefined();
});

it('finds none in whatever JSON.stringify has written, and the repetition of any member of it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (object, index) => {
      const json = JSON.stringify(object);
      expect(repeatedMember(json)).toBeUndefined();
      const names = Object.keys(object);
      const name = names[index % names.length] ?? '';
      expect(repeatedMember(`${json.slice(0, -1)},${JSON.stringify(name)}:0}`)).toBe(name);
    }),
  );
});
