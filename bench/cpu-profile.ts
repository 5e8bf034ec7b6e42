import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { connectInspector } from './inspector.ts';

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
  const inspector = await connectInspector(port);
  await inspector.command('Profiler.enable');
  await inspector.command('Profiler.setSamplingInterval', { interval: 500 });
  await inspector.command('Profiler.start');
  return {
    stop: async (file) => {
      const { profile } = z.object({ profile: z.unknown() }).parse(await inspector.command('Profiler.stop'));
      inspector.close();
      await writeFile(file, JSON.stringify(profile));
      return busyMilliseconds(profileSchema.parse(profile));
    },
  };
}

function busyMilliseconds({ nodes, samples, timeDeltas }: z.infer<typeof profileSchema>): number {
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id));
  return samples.reduce((sum, id, index) => (idle.has(id) ? sum : sum + (timeDeltas[index] ?? 0) / 1_000), 0);
}
