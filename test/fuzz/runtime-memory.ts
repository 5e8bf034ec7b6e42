import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { runtimePids } from '../stack/soak/victims.ts';
import type { FuzzStack } from './fuzz-stack.ts';

/** The memory of the runtime, in bytes. */
export interface RuntimeMemory {
  /** The JavaScript heap of the Worker and its array buffers, after a collection. */
  readonly heap: number;
  /** What its processes hold resident. */
  readonly resident: number;
}

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const reply = z.object({ id: z.number().optional(), result: z.unknown().optional() });
const usage = z.object({ usedSize: z.number(), backingStorageSize: z.number() });

/** How long the inspector may take; on a busy machine it sometimes never answers. */
const TIMEOUT_MS = 20_000;
const ATTEMPTS = 3;

/** @throws when the inspector does not answer several times. */
export async function runtimeMemory(stack: FuzzStack): Promise<RuntimeMemory> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await measured(stack);
    } catch (error) {
      console.log(`${String(error)}: once more`);
    }
  }
  return await measured(stack);
}

async function measured(stack: FuzzStack): Promise<RuntimeMemory> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error('The inspector does not answer')), { once: true });
  });
  return await Promise.race([inspected(stack), tooLate]);
}

async function inspected(stack: FuzzStack): Promise<RuntimeMemory> {
  const response = await fetch(`http://127.0.0.1:${stack.inspectorPort}/json`);
  const [target] = targets.parse(await response.json());
  // The inspector requires the origin of a page on this machine.
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '', { headers: { Origin: 'http://localhost' } });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  const command = (id: number, method: string) =>
    new Promise<unknown>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const message = reply.parse(JSON.parse(String(data)));
        if (message.id === id) resolve(message.result);
      });
      socket.send(JSON.stringify({ id, method }));
    });
  await command(1, 'HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = usage.parse(await command(2, 'Runtime.getHeapUsage'));
  socket.close();
  return { heap: usedSize + backingStorageSize, resident: residentOf(stack) };
}

function residentOf({ dataDir }: FuzzStack): number {
  return runtimePids(dataDir)
    .map((pid) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024)
    .reduce((sum, bytes) => sum + bytes, 0);
}
