import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
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

it('finds other ports than the processes that run at the same time', async () => {
  const code = `
    const { freePort } = await import('${new URL('ports.ts', import.meta.url).href}');
    const ports = [];
    for (let left = 20; left > 0; left -= 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    await new Promise((resolve) => process.stdin.on('end', resolve).resume());`;
  const processes = Array.from({ length: 4 }, () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]),
  );
  // Each has printed its ports before any ends.
  await Promise.all(processes.map(({ child }) => child.stdout && once(child.stdout, 'data')));
  for (const { child } of processes) child.stdin?.end();
  const ports = (await Promise.all(processes)).flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
  expect(new Set([...ports, await freePort()]).size).toBe(81);
});
