import { describe, expect, it } from 'vitest';
import { toFunctionSelector, type AbiFunction } from 'viem';
import { abiNameField, abiParametersField, selectorOf } from './abi-parameter.ts';

const accepts = (...parameters: unknown[]) => abiParametersField.safeParse(parameters).success;
const bool = { type: 'bool' };

/** Nested tuples, `levels` deep. */
function nested(levels: number): unknown {
  let parameter: unknown = bool;
  for (let level = 0; level < levels; level += 1) parameter = { type: 'tuple', components: [parameter] };
  return parameter;
}

describe('abiParametersField', () => {
  it.each(['uint7', 'bytes33', 'bytes0', 'mapping', 'uint256[', 'tuple]', '', 'uint8[0]', 'uint8[01]', 'uint8[10000]'])(
    'rejects the type "%s"',
    (type) => expect(accepts({ type })).toBe(false),
  );

  it.each(['tuple', 'tuple[]', 'tuple[2][]'])(
    'rejects %s without components, which takes no space in the encoding',
    (type) => {
      expect(accepts({ type })).toBe(false);
      expect(accepts({ type, components: [] })).toBe(false);
      expect(accepts({ type, components: [bool] })).toBe(true);
    },
  );

  it('rejects components of a type that is not a tuple', () => {
    expect(accepts({ type: 'bool', components: [bool] })).toBe(false);
  });

  it.each([9, 10, 100, 1_000, 10_000])('rejects %d nested tuples', (levels) => {
    expect(accepts(nested(levels))).toBe(false);
    expect(accepts(nested(8))).toBe(true);
  });

  it('rejects too many array dimensions and too many parameters', () => {
    expect(accepts({ type: 'uint8[][][][]' })).toBe(true);
    expect(accepts({ type: 'uint8[][][][][]' })).toBe(false);
    expect(accepts(...Array.from({ length: 64 }, () => bool))).toBe(true);
    expect(accepts(...Array.from({ length: 65 }, () => bool))).toBe(false);
  });

  it('reports one issue for a list that is too long, however many of its items are wrong', () => {
    const { error } = abiParametersField.safeParse(Array.from({ length: 10_000 }, () => ({})));
    expect(error?.issues).toHaveLength(1);
  });
});

describe('abiNameField', () => {
  it.each(['', 'f(', 'f()', 'a b', '1a', 'f\u0000', 'f\n', 'é', 'x'.repeat(257)])('rejects the name %j', (name) => {
    expect(abiNameField.safeParse(name).success).toBe(false);
  });
});

describe('selectorOf', () => {
  it('follows the Ethereum ABI, tuples and type aliases included', () => {
    const inputs = abiParametersField.parse([
      { type: 'uint[2]' },
      { type: 'tuple[]', components: [bool, { type: 'tuple', components: [{ type: 'bytes4' }, { type: 'int' }] }] },
    ]);
    expect(selectorOf({ name: 'f', inputs })).toBe(toFunctionSelector('f(uint256[2],(bool,(bytes4,int256))[])'));
    const abiFunction = { type: 'function', name: 'f', inputs, outputs: [], stateMutability: 'view' };
    expect(selectorOf({ name: 'f', inputs })).toBe(toFunctionSelector(abiFunction as AbiFunction));
  });
});
