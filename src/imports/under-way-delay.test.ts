import { expect, it } from 'vitest';
import { underWayDelay } from './under-way-delay.ts';

it('is a second while orders end, and up to a minute while none does', () => {
  const delays = [-5, 0, 1, 10, 60, 300, 600, 86_400].map((seconds) => underWayDelay(seconds * 1_000));
  expect(delays).toEqual([1, 1, 1, 1, 6, 30, 60, 60]);
});
