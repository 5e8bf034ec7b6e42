import { expect, it } from 'vitest';
import { Signal } from './signal.ts';

it('does not lose a signal that was given before anyone waited for it', async () => {
  const signal = new Signal();
  const seen = signal.count;
  signal.give();
  await signal.after(seen, 60_000);
  expect(signal.count).toBe(seen + 1);
});

it('wakes all who wait', async () => {
  const signal = new Signal();
  const waiting = Promise.all([signal.after(0, 60_000), signal.after(0, 60_000)]);
  signal.give();
  expect(await waiting).toHaveLength(2);
});
