import * as fc from 'fast-check';
import { DeepArray, LongText, Members, RawJson } from './json-text.ts';

const ODD_STRINGS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u202e\u200b',
  '\ufeff',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '0x',
  '-1',
  '1e400',
  '1_000',
  "'; drop table contracts; --",
  '%00',
  '../../etc/passwd',
  '${7*7}',
  '\r\nX-Injected: 1',
  '\u{1f469}\u200d\u{1f680}',
  '0x0000000000000000000000000000000000000000',
  '115792089237316195423570985008687907853269984665640564039457584007913129639936',
  '9'.repeat(200),
  '43114',
  '9999-12-31T23:59:59+23:59',
  '0000-00-00T00:00:00Z',
  'javascript:alert(1)',
  'http://[::1]:65536/',
];

const ODD_NUMBERS = [
  '-0',
  '0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '123456789012345678901234567890',
  '2147483648',
  '9223372036854775808',
  '0.1e1',
  '1E2',
];

const NOT_JSON = ['NaN', 'Infinity', 'undefined', '01', '.5', "'a'", '0x10', '1_0', '"\t"', '"\\x"', '"\\ud800"', ''];

/** Names that mean something to JavaScript or to a parser. */
export const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '\u0000',
  '\ud800',
  '$ref',
  '0',
  '-1',
  'length',
  '__defineGetter__',
];

/** Strings that break parsers, stores and logs. */
export const oddString = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_STRINGS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(51, 65, 101, 257, 1_001, 2_049, 5_000, 70_000).map((length) => new LongText(length)),
  },
);

/** Any JSON value, and what is almost one. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: oddString },
  { weight: 4, arbitrary: fc.constantFrom(...ODD_NUMBERS).map((text) => new RawJson(text)) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [null], [[]], { a: 1 }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(...NOT_JSON).map((text) => new RawJson(text)) },
  { weight: 1, arbitrary: fc.constantFrom(10, 200, 5_000).map((depth) => new DeepArray(depth)) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...ODD_KEYS), fc.jsonValue({ maxDepth: 1 })), { minLength: 1, maxLength: 4 })
      .map((entries) => new Members(entries)),
  },
);
