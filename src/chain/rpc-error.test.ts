import { describe, expect, it } from 'vitest';
import { encodeErrorResult, parseAbi } from 'viem';
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
});
