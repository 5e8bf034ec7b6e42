import { describe, expect, it } from 'vitest';
import { viewCallInput } from './call-view.ts';

const call = { chainId: '43114', contractAddress: `0x${'1'.repeat(40)}`, method: 'ownerOf' };
const view = { type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'view' };

const isTaken = (change: Record<string, unknown>) => viewCallInput.safeParse({ ...call, ...change }).success;

describe('the body of a read', () => {
  it('needs no arguments and no ABI', () => {
    expect(viewCallInput.parse(call)).toEqual({ ...call, args: [] });
  });

  it.each([
    ['a thousand values', [Array.from({ length: 999 }, () => 1)], true],
    ['one value more', [Array.from({ length: 1_000 }, () => 1)], false],
    ['values in nested arrays', [[[Array.from({ length: 997 }, () => 1)]]], true],
    ['too many values in nested arrays', [[[Array.from({ length: 998 }, () => 1)]]], false],
    [
      'too many values in structures',
      Array.from({ length: 60 }, () => ({ a: Array.from({ length: 20 }, () => 1) })),
      false,
    ],
    ['64 arguments', Array.from({ length: 64 }, () => 1), true],
    ['65 arguments', Array.from({ length: 65 }, () => 1), false],
  ])('may have so many values and no more: %s', (_, args, taken) => {
    expect(isTaken({ args })).toBe(taken);
  });

  it('has every issue named, an argument that is null among them', () => {
    const { error } = viewCallInput.safeParse({ ...call, chainId: 0, args: ['1', null] });
    expect(error?.issues.map(({ path }) => path)).toEqual([['chainId'], ['args', 1]]);
  });

  it.each([
    ['a function', [view], true],
    [
      'an error, an event and a constructor',
      [{ type: 'error', name: 'E' }, { type: 'event' }, { type: 'constructor' }],
      true,
    ],
    ['an item of no known type', [{ type: 'modifier' }], false],
    ['a function without a mutability', [{ ...view, stateMutability: undefined }], false],
    ['a parameter of no Solidity type', [{ ...view, inputs: [{ type: 'uint7' }] }], false],
    ['a thousand and one items', Array.from({ length: 1_001 }, () => view), false],
  ])('has its ABI checked: %s', (_, abi, taken) => {
    expect(isTaken({ abi })).toBe(taken);
  });
});
