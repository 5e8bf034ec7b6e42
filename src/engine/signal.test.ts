import { expect, it } from 'vitest';
import { Signal } from './signal.ts';

it('does not lose a signal raised before anyone waits for it', async () => {
  const signal = new Signal();
  const seen = signal.count;
  signal.raise();
  await signal.after(seen, 60_000);
  expect(signal.count).toBe(seen + 1);
});

it('wakes every waiter', async () => {
  const signal = new Signal();
  const waiting = Promise.all([signal.after(0, 60_000), signal.after(0, 60_000)]);
  signal.raise();
  expect(await waiting).toHaveLength(2);
});
