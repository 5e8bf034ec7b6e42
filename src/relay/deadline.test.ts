import { describe, expect, it } from 'vitest';
import { decodeFunctionData, encodeFunctionData, erc721Abi, hexToNumber, slice } from 'viem';
import { deadlineField, deadlineIssues, withDeadline } from './deadline.ts';

const at = (text: string) => new Date(deadlineField.parse(text) ?? Number.NaN);

describe('the deadline of a signed request', () => {
  it('counts whole seconds, in any time zone', () => {
    expect(at('2027-01-31T12:00:00.999Z')).toEqual(new Date('2027-01-31T12:00:00Z'));
    expect(at('2027-01-31T21:00:00+09:00')).toEqual(new Date('2027-01-31T12:00:00Z'));
  });

  it.each(['2027-01-31', '2027-01-31T12:00:00', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59-00:01', 'soon', ''])(
    'is not %o',
    (text) => {
      expect(deadlineField.safeParse(text).success).toBe(false);
    },
  );

  it('is the last 32 bytes of the signed data and leaves the call as it is', () => {
    const zero = `0x${'1'.repeat(40)}` as const;
    const call = { abi: erc721Abi, functionName: 'safeTransferFrom', args: [zero, zero, 5n] } as const;
    const data = withDeadline(encodeFunctionData(call), at('2027-01-31T12:00:00Z'));
    expect(hexToNumber(slice(data, -32))).toBe(Date.parse('2027-01-31T12:00:00Z') / 1_000);
    expect(decodeFunctionData({ abi: erc721Abi, data }).args).toEqual(call.args);
    for (const none of [null, undefined]) expect(withDeadline('0x12345678', none)).toBe('0x12345678');
  });

  it('has passed from its own second on', () => {
    const deadline = at('2027-01-31T12:00:00Z');
    expect(deadlineIssues(deadline, deadline.getTime() - 1)).toEqual([]);
    expect(deadlineIssues(deadline, deadline.getTime())).toEqual([
      { path: 'deadline', code: 'expired', message: 'has passed: 2027-01-31T12:00:00.000Z' },
    ]);
    expect(deadlineIssues(undefined, deadline.getTime())).toEqual([]);
  });
});
