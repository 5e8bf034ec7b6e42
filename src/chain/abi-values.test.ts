import { describe, expect, it } from 'vitest';
import { maxUint256 } from 'viem';
import type { InputFault } from '../http/domain-error.ts';
import { abiParameterSchema, fromJson, toJson } from './abi-values.ts';

const convert = (parameter: Parameters<typeof fromJson>[0], value: unknown) => {
  const faults: InputFault[] = [];
  const result = fromJson(parameter, value, 'args.0', faults);
  return faults.length > 0 ? faults : result;
};

describe('fromJson', () => {
  it.each([
    ['uint256', '5', 5n],
    ['uint256', 5, 5n],
    ['uint256', maxUint256.toString(), maxUint256],
    ['int8', '-128', -128n],
    ['bool', true, true],
    ['string', 'x', 'x'],
    ['bytes', '0x', '0x'],
    ['bytes4', '0x80ac58cd', '0x80ac58cd'],
    ['uint8[]', ['1', 2], [1n, 2n]],
    ['uint8[2][]', [['1', '2']], [[1n, 2n]]],
  ])('takes %s %s', (type, value, expected) => {
    expect(convert({ type }, value)).toEqual(expected);
  });

  it.each([
    ['uint256', (maxUint256 + 1n).toString()],
    ['uint256', '-1'],
    ['uint256', '0x5'],
    ['uint256', 1.5],
    ['uint256', 2 ** 60],
    ['uint8', '256'],
    ['int8', '128'],
    ['bool', 'true'],
    ['string', 5],
    ['bytes4', '0x80ac58'],
    ['bytes', '0x123'],
    ['address', '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'],
    ['uint8[2]', ['1']],
    ['uint8[]', '1'],
  ])('refuses %s %s and says where', (type, value) => {
    expect(convert({ type }, value)).toEqual([{ path: 'args.0', message: expect.any(String) }]);
  });

  it('takes a tuple as an object or as an array, and finds every fault inside', () => {
    const parameter = {
      type: 'tuple',
      components: [
        { name: 'to', type: 'address' },
        { name: 'values', type: 'uint8[]' },
      ],
    };
    const to = `0x${'1'.repeat(40)}`;
    expect(convert(parameter, { to, values: ['1'] })).toEqual({ to, values: [1n] });
    expect(convert(parameter, [to, ['1']])).toEqual({ to, values: [1n] });
    expect(convert(parameter, { to: 'nobody', values: ['1', 'x'] })).toEqual([
      { path: 'args.0.to', message: 'must be an address' },
      { path: 'args.0.values.1', message: expect.any(String) },
    ]);
  });
});

describe('abiParameterSchema', () => {
  it.each(['uint7', 'bytes33', 'mapping', 'uint256[', 'tuple]', ''])('refuses the type "%s"', (type) => {
    expect(abiParameterSchema.safeParse({ type }).success).toBe(false);
  });
});

describe('toJson', () => {
  it('writes numbers of any size as decimal strings, wherever they stand', () => {
    expect(toJson([1n, { a: maxUint256, b: [true, 'x', 18] }])).toEqual([
      '1',
      { a: maxUint256.toString(), b: [true, 'x', '18'] },
    ]);
  });
});
