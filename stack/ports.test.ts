import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { claimPort, freePort, takePorts } from './ports.ts';

it('finds other ports each time, none of which the system gives to outgoing connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
  expect(ports.filter((port) => port >= 32_768)).toEqual([]);
});

it('passes over a port that is in use or claimed', async () => {
  const last = await freePort();
  const [used, claimed] = [last + 1, last + 2];
  const server = createServer();
  server.listen(used, '127.0.0.1');
  await once(server, 'listening');
  await claimPort(claimed);
  try {
    const next = await Promise.all(Array.from({ length: 10 }, () => freePort()));
    expect(next.filter((port) => port === used || port === claimed)).toEqual([]);
  } finally {
    server.close();
  }
});

it('gives the same ports each time, and for one that is in use the next free one, which it names', async () => {
  const first = await freePort();
  const server = createServer();
  server.listen(first + 1, '127.0.0.1');
  await once(server, 'listening');
  const said: string[] = [];
  const ports = await takePorts(first + 1, ['the node', 'the database'], (line) => said.push(line));
  server.close();
  expect(ports).toEqual([first + 3, first + 2]);
  expect(said).toEqual([`Port ${first + 1} is in use by another program: the node has ${first + 3}.`]);
});

it('finds other ports than the processes that run at the same time', async () => {
  const code = `
    const { freePort } = await import('${new URL('ports.ts', import.meta.url).href}');
    const ports = [];
    for (let left = 20; left > 0; left -= 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    process.stdin.resume();`;
  const processes = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  try {
    // Each runs until it has printed its ports and the others have, too.
    const printed = await Promise.all(processes.map(({ stdout }) => text(stdout)));
    const ports = printed.flatMap((line) => JSON.parse(line) as number[]);
    expect(new Set([...ports, await freePort()]).size).toBe(81);
  } finally {
    for (const process of processes) process.kill();
  }
});

/** What a process prints first; nothing if it ends before. */
async function text(output: Readable): Promise<string> {
  for await (const chunk of output) return String(chunk);
  return '[]';
}
