import { describe, expect, it } from 'vitest';
import { toFunctionSelector } from 'viem';
import type { AbiFunction } from 'viem';
import { abiNameField, abiParametersField, selectorOf } from './abi-parameter.ts';

const takes = (...parameters: unknown[]) => abiParametersField.safeParse(parameters).success;
const bool = { type: 'bool' };

/** A tuple in a tuple, and so on, so many of them. */
function nested(levels: number): unknown {
  let parameter: unknown = bool;
  for (let level = 0; level < levels; level += 1) parameter = { type: 'tuple', components: [parameter] };
  return parameter;
}

describe('abiParametersField', () => {
  it.each(['uint7', 'bytes33', 'bytes0', 'mapping', 'uint256[', 'tuple]', '', 'uint8[0]', 'uint8[01]', 'uint8[10000]'])(
    'refuses the type "%s"',
    (type) => expect(takes({ type })).toBe(false),
  );

  it.each(['tuple', 'tuple[]', 'tuple[2][]'])('refuses %s without components, which takes no room', (type) => {
    expect(takes({ type })).toBe(false);
    expect(takes({ type, components: [] })).toBe(false);
    expect(takes({ type, components: [bool] })).toBe(true);
  });

  it('refuses components where there is no tuple', () => {
    expect(takes({ type: 'bool', components: [bool] })).toBe(false);
  });

  it.each([9, 10, 100, 1_000, 10_000])('refuses %d nested tuples', (levels) => {
    expect(takes(nested(levels))).toBe(false);
    expect(takes(nested(8))).toBe(true);
  });

  it('refuses more dimensions and more parameters than anyone needs', () => {
    expect(takes({ type: 'uint8[][][][]' })).toBe(true);
    expect(takes({ type: 'uint8[][][][][]' })).toBe(false);
    expect(takes(...Array.from({ length: 64 }, () => bool))).toBe(true);
    expect(takes(...Array.from({ length: 65 }, () => bool))).toBe(false);
  });

  it('gives one fault for a list that is too long, however many items are wrong', () => {
    const { error } = abiParametersField.safeParse(Array.from({ length: 10_000 }, () => ({})));
    expect(error?.issues).toHaveLength(1);
  });
});

describe('abiNameField', () => {
  it.each(['', 'f(', 'f()', 'a b', '1a', 'f\u0000', 'f\n', 'é', 'x'.repeat(257)])('refuses the name %j', (name) => {
    expect(abiNameField.safeParse(name).success).toBe(false);
  });
});

describe('selectorOf', () => {
  it('is that of the Ethereum ABI, tuples and short forms included', () => {
    const inputs = abiParametersField.parse([
      { type: 'uint[2]' },
      { type: 'tuple[]', components: [bool, { type: 'tuple', components: [{ type: 'bytes4' }, { type: 'int' }] }] },
    ]);
    expect(selectorOf({ name: 'f', inputs })).toBe(toFunctionSelector('f(uint256[2],(bool,(bytes4,int256))[])'));
    const abiFunction = { type: 'function', name: 'f', inputs, outputs: [], stateMutability: 'view' };
    expect(selectorOf({ name: 'f', inputs })).toBe(toFunctionSelector(abiFunction as AbiFunction));
  });
});
