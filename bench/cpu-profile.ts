import { writeFile } from 'node:fs/promises';
import { z } from 'zod';

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const reply = z.object({ id: z.number().optional(), result: z.unknown().optional(), error: z.unknown().optional() });
const profileSchema = z.object({
  nodes: z.array(
    z.object({ id: z.number(), callFrame: z.object({ functionName: z.string() }), hitCount: z.number().optional() }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/** A CPU profile that is being taken. */
export interface CpuProfile {
  /**
   * Ends the profile and writes it to a `.cpuprofile` file, which Chrome DevTools and speedscope open.
   * @returns the milliseconds in which the Worker was not idle.
   */
  stop(file: string): Promise<number>;
}

/**
 * Starts a CPU profile of the Worker through its inspector.
 * @param port Of the inspector, on 127.0.0.1.
 * @throws when the inspector cannot be reached or refuses a command.
 */
export async function startCpuProfile(port: number): Promise<CpuProfile> {
  const response = await fetch(`http://127.0.0.1:${port}/json`);
  const [target] = targets.parse(await response.json());
  if (target === undefined) throw new Error('The inspector lists no Worker');
  // The inspector requires the origin of a page on this machine.
  const socket = new WebSocket(target.webSocketDebuggerUrl, { headers: { Origin: 'http://localhost' } });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached')), { once: true });
  });
  const waiting = new Map<number, (message: z.infer<typeof reply>) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = reply.parse(JSON.parse(String(data)));
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let lastId = 0;
  const command = async (method: string, params: object = {}): Promise<unknown> => {
    lastId += 1;
    const id = lastId;
    const answer = new Promise<z.infer<typeof reply>>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(`The inspector refuses ${method}: ${JSON.stringify(error)}`);
    return result;
  };
  await command('Profiler.enable');
  await command('Profiler.setSamplingInterval', { interval: 500 });
  await command('Profiler.start');
  return {
    stop: async (file) => {
      const { profile } = z.object({ profile: z.unknown() }).parse(await command('Profiler.stop'));
      socket.close();
      await writeFile(file, JSON.stringify(profile));
      return busyMilliseconds(profileSchema.parse(profile));
    },
  };
}

function busyMilliseconds({ nodes, samples, timeDeltas }: z.infer<typeof profileSchema>): number {
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id));
  return samples.reduce((sum, id, index) => (idle.has(id) ? sum : sum + (timeDeltas[index] ?? 0) / 1_000), 0);
}
