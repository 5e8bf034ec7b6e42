import { describe, expect, it } from 'vitest';
import { portabilityIssues } from './portable-json.ts';

const pathsOf = (document: unknown) => Array.from(portabilityIssues(document)).map(({ path }) => path);

describe('portabilityIssues', () => {
  it.each([
    0,
    -0,
    1,
    -1,
    0.001,
    -0.5,
    37.5665,
    0.1 + 0.2,
    9_999_999.999_999_998,
    1_893_456_000,
    12_345_678_901,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ])('lets %d pass', (value) => {
    expect(pathsOf({ value })).toEqual([]);
  });

  it.each([
    0.000_999,
    -1e-7,
    Number.MIN_VALUE,
    10_000_000.5,
    -123_456_789.25,
    Number.MAX_SAFE_INTEGER + 1,
    -(2 ** 60),
    1e21,
    Number.MAX_VALUE,
  ])('rejects %d', (value) => {
    expect(Array.from(portabilityIssues({ list: [1, { value }] }))).toEqual([
      { path: '$.list[1].value', message: expect.stringMatching(/send it as a string$/) },
    ]);
  });

  it('rejects exactly the keys that sort differently by code units and by code points', () => {
    // U+FB01 and U+FFFD sort after the surrogates of U+1F600 by code units, and before it by code points.
    expect(pathsOf({ inner: { '\u{1f600}': 1, ﬁ: 2 } })).toEqual(['$.inner']);
    expect(pathsOf({ 'a\u{1f600}': 1, 'a\ufffd': 2, b: 3 })).toEqual(['$']);
    expect(pathsOf({ '\u{1f600}': 1, '\u{1f601}': 2, 한국어: 3, a: 4, '': 5, aa: 6 })).toEqual([]);
    expect(pathsOf({ 'a\u{1f600}': 1, 'b\ufffd': 2 })).toEqual([]);
    expect(pathsOf([{ '\u{1f600}': 1 }, { '\ufffd': 2 }])).toEqual([]);
  });
});
