import { describe, expect, it } from 'vitest';
import { concatHex, encodeAbiParameters, encodeErrorResult, parseAbi, toHex } from 'viem';
import { selectorOf } from './abi-parameter.ts';
import { revertReason } from './rpc-error.ts';

const saying = (words: string) =>
  encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [words] });

describe('the reason of a revert', () => {
  it('is the error and its arguments', () => {
    expect(revertReason(saying('not today'))).toBe('Error(not today)');
    expect(revertReason('0x')).toBeUndefined();
    expect(revertReason('0x12345678')).toBe('unknown error 0x12345678');
  });

  it('is one line that can be stored, whatever the contract says', () => {
    expect(revertReason(saying('a\u0000b\r\nc\u009fd'))).toBe('Error(a b c d)');
    const cut = revertReason(saying('\u{1F600}'.repeat(1_000))) ?? '';
    expect(cut).toHaveLength(500);
    expect(cut.isWellFormed()).toBe(true);
  });

  it('is the error’s selector where its bytes are not what the ABI says, too many, or stand for too much', () => {
    const error = { name: 'Bomb', inputs: [{ type: 'bytes[]' }] };
    const selector = selectorOf(error);
    const pointers = Array.from({ length: 1_000 }, () => toHex(32_000, { size: 32 }));
    const blob = toHex('x'.repeat(10_000));
    const words = concatHex([toHex(32, { size: 32 }), toHex(1_000, { size: 32 }), ...pointers]);
    const bomb = concatHex([selector, words, toHex(10_000, { size: 32 }), blob]);
    expect(revertReason(bomb, [error])).toBe(`unknown error ${selector}`);
    expect(revertReason(`${selector}${'00'.repeat(70_000)}`, [error])).toBe(`unknown error ${selector}`);
    expect(revertReason(selector, [error])).toBe(`unknown error ${selector}`);
    const fine = encodeAbiParameters([{ type: 'bytes[]' }], [['0x01', '0x02']]);
    expect(revertReason(concatHex([selector, fine]), [error])).toBe('Bomb(["0x01","0x02"])');
  });
});
