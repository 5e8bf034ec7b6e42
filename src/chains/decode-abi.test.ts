import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concatHex,
  encodeAbiParameters,
  maxUint256,
  numberToHex,
  size,
  toHex,
  type AbiParameter,
  type Hex,
} from 'viem';
import type { AbiParameterJson } from './abi-parameter.ts';
import { parseAbiArguments } from './abi-values.ts';
import { AbiDecodingError, MAX_ABI_BYTES, decodeAbi, type AbiValue } from './decode-abi.ts';

interface Typed {
  readonly parameter: AbiParameterJson;
  readonly value: AbiValue;
}

const encode = (parameters: readonly AbiParameterJson[], values: readonly unknown[]) =>
  encodeAbiParameters(parameters as AbiParameter[], values);
const word = (number: number | bigint) => numberToHex(number, { size: 32 });
const hexOf = (bytes: Uint8Array) => toHex(bytes);

const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => 8 * bytes);
const elementary: fc.Arbitrary<Typed> = fc.oneof(
  bits.chain((width) =>
    fc
      .bigInt({ min: 0n, max: 2n ** BigInt(width) - 1n })
      .map((value) => ({ parameter: { type: `uint${width}` }, value: value.toString() })),
  ),
  bits.chain((width) =>
    fc
      .bigInt({ min: -(2n ** BigInt(width - 1)), max: 2n ** BigInt(width - 1) - 1n })
      .map((value) => ({ parameter: { type: `int${width}` }, value: value.toString() })),
  ),
  fc.boolean().map((value) => ({ parameter: { type: 'bool' }, value })),
  fc.string({ unit: 'binary' }).map((value) => ({ parameter: { type: 'string' }, value })),
  fc.uint8Array().map((value) => ({ parameter: { type: 'bytes' }, value: hexOf(value) })),
  fc
    .uint8Array({ minLength: 1, maxLength: 32 })
    .map((value) => ({ parameter: { type: `bytes${value.length}` }, value: hexOf(value) })),
);

/** Values of one type, built alike: the parameter of the first applies to all. */
const { typed } = fc.letrec<{ typed: Typed; tuple: Typed; array: Typed }>((tie) => ({
  typed: fc.oneof({ depthSize: 'small', withCrossShrink: true }, elementary, tie('tuple'), tie('array')),
  tuple: fc.tuple(fc.boolean(), fc.array(tie('typed'), { minLength: 1, maxLength: 4 })).map(([named, fields]) => ({
    parameter: {
      type: 'tuple',
      components: fields.map(({ parameter }, index) => (named ? { ...parameter, name: `_${index}` } : parameter)),
    },
    value: named
      ? Object.fromEntries(fields.map(({ value }, index) => [`_${index}`, value]))
      : fields.map(({ value }) => value),
  })),
  array: fc
    .tuple(tie('typed'), fc.boolean(), fc.integer({ min: 1, max: 3 }))
    .map(([{ parameter, value }, isFixed, length]) => ({
      parameter: { ...parameter, type: `${parameter.type}[${isFixed ? length : ''}]` },
      value: Array.from({ length }, () => value),
    })),
}));

function attempt(work: () => unknown): [unknown, unknown] {
  try {
    return [work(), undefined];
  } catch (error) {
    return [undefined, error];
  }
}

function encodable(parameter: AbiParameterJson, value: unknown): unknown {
  const parsed = parseAbiArguments([parameter], [value], '');
  if ('issues' in parsed) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value[0];
}

describe('decodeAbi', () => {
  it('decodes every value of every type that the Ethereum ABI encodes', () => {
    fc.assert(
      fc.property(fc.array(typed, { minLength: 1, maxLength: 4 }), (all) => {
        const parameters = all.map(({ parameter }) => parameter);
        const values = all.map(({ parameter, value }) => encodable(parameter, value));
        const data = encode(parameters, values);
        fc.pre(size(data) <= MAX_ABI_BYTES);
        expect(decodeAbi(parameters, data)).toEqual(all.map(({ value }) => value));
      }),
    );
  });

  it('decodes or throws for any bytes, and never exceeds its limit', () => {
    fc.assert(
      fc.property(
        typed,
        // Small numbers make offsets that point into the data.
        fc.array(
          fc.oneof(
            fc.nat(40).map((n) => word(32 * n)),
            fc.nat(3).map(word),
            fc.bigInt(0n, maxUint256).map(word),
          ),
        ),
        ({ parameter }, words) => {
          const [value, error] = attempt(() => decodeAbi([parameter], concatHex(words)));
          expect(error === undefined || error instanceof AbiDecodingError).toBe(true);
          expect(JSON.stringify(value ?? null).length).toBeLessThanOrEqual(256 * 1_024 + 3);
        },
      ),
    );
  });

  it('decodes an ordinary response of the full length', () => {
    const text = 'x'.repeat(MAX_ABI_BYTES - 64);
    expect(decodeAbi([{ type: 'string' }], encode([{ type: 'string' }], [text]))).toEqual([text]);
    const numbers = Array.from({ length: MAX_ABI_BYTES / 32 - 2 }, (_, index) => BigInt(index));
    const [decoded] = decodeAbi([{ type: 'uint256[]' }], encode([{ type: 'uint256[]' }], [numbers]));
    expect(decoded).toHaveLength(numbers.length);
  });

  it('rejects a longer response', () => {
    expect(() => decodeAbi([{ type: 'bool' }], `0x${'00'.repeat(MAX_ABI_BYTES + 1)}`)).toThrow('longer than 64 KB');
  });

  it.each([
    ['4,000 texts', 'bytes[]', 4_000, 20_000],
    ['1,000 texts', 'string[]', 1_000, 10_000],
    ['1,000 lists', 'uint256[][]', 1_000, 30_000],
  ])('rejects %s that share the same bytes', (_, type, pointers, length) => {
    const blob = type === 'uint256[][]' ? length / 32 : length;
    const shared = concatHex([
      word(32),
      word(pointers),
      ...Array.from({ length: pointers }, () => word(32 * pointers)),
    ]);
    const data: Hex = `${shared}${word(Math.floor(blob)).slice(2)}${'61'.repeat(length)}`;
    expect(() => decodeAbi([{ type }], data)).toThrow(AbiDecodingError);
    expect(() => decodeAbi([{ type }], data)).toThrow(/longer than 64 KB|256 KB of JSON/);
  });

  it('counts the names of fields and the escapes of characters, as JSON has them', () => {
    const components = Array.from({ length: 2 }, (_, index) => ({ name: `${'n'.repeat(63)}${index}`, type: 'bool' }));
    const named = { type: 'tuple[]', components };
    const pairs = (length: number) => encode([named], [Array.from({ length }, () => components.map(() => true))]);
    expect(() => decodeAbi([named], pairs(1_000))).not.toThrow();
    // 64 KB have room for 1,020 of these pairs; a nested tuple repeats its names.
    const nested = { type: 'tuple[]', components: [{ name: 'm'.repeat(64), type: 'tuple', components }] };
    expect(() => decodeAbi([nested], pairs(1_020))).not.toThrow();
    const deep = Array.from({ length: 6 }).reduce<AbiParameterJson>(
      (inner) => ({ name: 'm'.repeat(64), type: 'tuple', components: [inner] }),
      { name: 'f', type: 'bool' },
    );
    const bools = encode([{ type: 'bool[]' }], [Array.from({ length: 2_000 }, () => true)]);
    expect(() => decodeAbi([{ ...deep, type: 'tuple[]' }], bools)).toThrow(/256 KB of JSON/);
    const text = encode([{ type: 'string' }], ['\u0001'.repeat(60_000)]);
    expect(() => decodeAbi([{ type: 'string' }], text)).toThrow(/256 KB of JSON/);
  });

  it('rejects lists whose offsets point into the lists themselves', () => {
    // Each word is read as an offset and as a length: 100 lists of 64 lists of 64 lists of 64 numbers, in 3 KB.
    const data = concatHex([word(32), word(100), ...Array.from({ length: 100 }, () => word(64))]);
    expect(() => decodeAbi([{ type: 'uint256[][][][]' }], data)).toThrow(/256 KB/);
  });

  it.each([
    ['uint8[9999][9999][9999][9999]', concatHex([word(1), word(1)])],
    ['uint8[]', concatHex([word(32), word(maxUint256)])],
    ['uint8[]', concatHex([word(32), word(3), word(1)])],
    ['string', concatHex([word(32), word(2n ** 53n)])],
    ['string', concatHex([word(2n ** 64n)])],
    ['bytes', word(32)],
    ['bool', word(2)],
    ['uint8', word(256)],
    ['int8', word(128)],
    ['address', word(2n ** 160n)],
    ['bool', '0x01'],
    ['bool', '0x'],
  ] as const)('rejects bytes that do not encode %s', (type, data) => {
    expect(() => decodeAbi([{ type }], data)).toThrow(AbiDecodingError);
  });

  it('keeps a field whose name is special in JavaScript', () => {
    const components = [{ name: '__proto__', type: 'uint8' }];
    const [value] = decodeAbi([{ type: 'tuple', components }], word(7));
    expect(JSON.stringify(value)).toBe('{"__proto__":"7"}');
  });
});
