import { describe, expect, it } from 'vitest';
import { createUnknownTokens } from './unknown-tokens.ts';

describe('createUnknownTokens', () => {
  it('remembers a token for 50 milliseconds', () => {
    const unknown = createUnknownTokens();
    unknown.add('a', 5_000);
    expect([unknown.has('a', 5_000), unknown.has('a', 5_049), unknown.has('a', 5_050)]).toEqual([true, true, false]);
    expect(unknown.has('b', 5_000)).toBe(false);
  });

  it('forgets a token that it is told to', () => {
    const unknown = createUnknownTokens();
    unknown.add('a', 0);
    unknown.forget('a');
    expect(unknown.has('a', 0)).toBe(false);
  });

  it('holds 10,000 tokens, and gives up those that were added longest ago', () => {
    const unknown = createUnknownTokens();
    unknown.add('first', 0);
    unknown.add('second', 0);
    unknown.add('first', 0);
    for (let count = 0; count < 9_999; count += 1) unknown.add(`other ${count}`, 0);
    expect([unknown.has('first', 0), unknown.has('second', 0), unknown.has('other 9998', 0)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
