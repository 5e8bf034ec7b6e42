import { expect, it } from 'vitest';
import { mutate } from './mutate.ts';

const insert = (place: number, position: number) =>
  ({ place, change: { type: 'insert', insertion: { character: '\u0000', position } } }) as const;

it('inserts an odd character at each place of each text, and nowhere else', () => {
  const body = { count: 1, url: 'ab', list: [true, { name: 'c' }] };
  expect([0, 1, 2, 3].map((position) => mutate(body, insert(0, position)))).toEqual(
    ['\u0000ab', 'a\u0000b', 'ab\u0000', '\u0000ab'].map((url) => ({ ...body, url })),
  );
  expect(mutate(body, insert(1, 1))).toEqual({ ...body, list: [true, { name: 'c\u0000' }] });
  expect(mutate(body, insert(2, 0))).toEqual({ ...body, url: '\u0000ab' });
});

it('leaves a value without a text as it is', () => {
  expect(mutate({ count: 1 }, insert(0, 0))).toEqual({ count: 1 });
});
