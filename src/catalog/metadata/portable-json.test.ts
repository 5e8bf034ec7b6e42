import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { certificateInput } from '../../../test/fixtures/metadata-inputs.ts';
import { canonicalJson, certificateHash, portabilityIssues } from './portable-json.ts';
import { assessInput } from './assess-input.ts';

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

/** An independent implementation of RFC 8785. */
function independentJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(independentJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${independentJson(member)}`);
  return `{${members.join(',')}}`;
}

const independentHash = (document: unknown) => sha256(independentJson(document));

/** By the runtime's Web Crypto. */
async function sha256(content: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return `0x${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ min: 0.001, max: 9_999_999, noNaN: true }),
  fc.double({ min: -9_999_999, max: -0.001, noNaN: true }),
);
/** Any value that a certificate can contain. */
const generatedData = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(text, number, fc.boolean(), fc.constant(null)),
      fc.array(tie('value')),
      fc.dictionary(text, tie('value')),
    ),
  }))
  .value.filter((value) => Array.from(portabilityIssues(value)).length === 0);

/** The certificate with this value in `utility.data.extra`. */
function certificateWith(extra: unknown): unknown {
  const input = structuredClone(certificateInput);
  const assessment = assessInput({ ...input, utility: { ...input.utility, data: { ...input.utility.data, extra } } }, [
    '43114',
  ]);
  if (!assessment.valid) throw new Error(JSON.stringify(assessment.issues));
  return assessment.document;
}

describe('certificateHash', () => {
  it('is the SHA-256 of the RFC 8785 form', async () => {
    expect(canonicalJson({ b: [true, null], a: 'é', B: 1.5 })).toBe('{"B":1.5,"a":"é","b":[true,null]}');
    expect(certificateHash({ b: [true, null], a: 'é', B: 1.5 })).toBe(
      await sha256('{"B":1.5,"a":"é","b":[true,null]}'),
    );
  });

  it.each<[string, unknown]>([
    ['nested objects', { z: { y: { x: [[], {}, [{ b: 1, a: 2 }]] } }, a: { c: null, b: true } }],
    ['non-Latin text', { 이름: '정품 인증서', 名前: '証明書', имя: 'Сертификат', اسم: 'شهادة', ελ: 'Ωμέγα', é: 'é' }],
    ['emoji', { '🎟': '👩‍👩‍👧‍👦 🇰🇷', '😀a': '\u{10ffff}' }],
    ['escapes', { '"\\/\b\f\n\r\t': '\u0001\u001f\u007f\u0080 </script> \u2028\u2029 "\\/\b\f\n\r\t' }],
    ['whole numbers', [0, -0, 1, -1, 1e6, 123_456_789_012, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]],
    ['fractions', [0.1, -0.5, 0.001, 4.5, 1 / 3, 0.1 + 0.2, 9_999_999.999_999_998, 37.5665]],
    ['keys that need sorting', { b: 1, a: 2, B: 3, '10': 4, '9': 5, '': 6, aa: 7, a_: 8, á: 9, z: 10 }],
  ])('agrees with an independent implementation: %s', async (_, extra) => {
    const document = certificateWith(extra);
    expect(canonicalJson(document)).toBe(independentJson(document));
    expect(certificateHash(document)).toBe(await independentHash(document));
  });

  it('agrees with an independent implementation on generated certificates', async () => {
    await fc.assert(
      fc.asyncProperty(generatedData, async (extra) => {
        const document = certificateWith(extra);
        expect(canonicalJson(document)).toBe(independentJson(document));
        expect(certificateHash(document)).toBe(await independentHash(document));
      }),
      { numRuns: 300 },
    );
  });

  it('is the same after a JSON round trip, in any key order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const reversed = (node: unknown): unknown => {
          if (Array.isArray(node)) return node.map(reversed);
          if (typeof node !== 'object' || node === null) return node;
          return Object.fromEntries(
            Object.entries(node)
              .toReversed()
              .map(([key, member]) => [key, reversed(member)]),
          );
        };
        expect(certificateHash(JSON.parse(JSON.stringify(reversed(value))))).toBe(certificateHash(value));
      }),
    );
  });

  it('differs when the document differs', () => {
    const hash = certificateHash(certificateWith('a'));
    for (const other of ['b', 'A', 'a ', ['a'], null, 'á']) {
      expect(certificateHash(certificateWith(other))).not.toBe(hash);
    }
  });
});
