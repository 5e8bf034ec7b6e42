import { describe, expect, it } from 'vitest';
import { maxUint256 } from 'viem';
import type { AbiParameterJson } from './abi-parameter.ts';
import { parseAbiArguments } from './abi-values.ts';

const convert = (parameter: AbiParameterJson, value: unknown) => {
  const result = parseAbiArguments([parameter], [value], 'args');
  return 'issues' in result ? result.issues : result.value[0];
};

describe('parseAbiArguments', () => {
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
  ])('accepts %s %s', (type, value, expected) => {
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
  ])('rejects %s %s and says where', (type, value) => {
    expect(convert({ type }, value)).toEqual([{ path: 'args.0', message: expect.any(String) }]);
  });

  it('rejects text that encoding would alter', () => {
    expect(convert({ type: 'string' }, 'a\ud800')).toEqual([{ path: 'args.0', message: expect.any(String) }]);
  });

  it('accepts a tuple as an object or an array, and reports every issue inside', () => {
    const parameter = {
      type: 'tuple',
      components: [
        { name: 'to', type: 'address' },
        { name: 'values', type: 'uint8[]' },
      ],
    };
    const to = `0x${'1'.repeat(40)}`;
    expect(convert(parameter, { to, values: ['1'] })).toEqual([to, [1n]]);
    expect(convert(parameter, [to, ['1']])).toEqual([to, [1n]]);
    expect(convert(parameter, { to: 'nobody', values: ['1', 'x'] })).toEqual([
      { path: 'args.0.to', message: 'must be an address' },
      { path: 'args.0.values.1', message: expect.any(String) },
    ]);
  });

  it.each([[[]], [['0x1']], [{}], [{ to: '0x1' }], [null], ['0x1']])('reports one issue in the tuple %j', (value) => {
    const components = ['to', 'from', 'by'].map((name) => ({ name, type: 'address' }));
    expect(convert({ type: 'tuple', components }, value)).toEqual([{ path: 'args.0', message: expect.any(String) }]);
  });

  it('rejects an object for a tuple whose fields lack distinct names', () => {
    for (const name of [undefined, '', 'same']) {
      const components = [0, 1].map(() => ({ name, type: 'bool' }));
      expect(convert({ type: 'tuple', components }, [true, false])).toEqual([true, false]);
      expect(convert({ type: 'tuple', components }, { same: true, 0: true, 1: true })).toEqual([
        { path: 'args.0', message: expect.any(String) },
      ]);
    }
  });
});
