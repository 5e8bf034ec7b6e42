import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './ports.ts';

it('finds other ports each time, none of which the system gives to outgoing connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
  expect(ports.filter((port) => port >= 32_768)).toEqual([]);
});

it('passes over a port that is in use', async () => {
  const next = (await freePort()) + 1;
  const server = createServer();
  server.listen(next, '127.0.0.1');
  await once(server, 'listening');
  try {
    expect(await freePort()).not.toBe(next);
  } finally {
    server.close();
  }
});
