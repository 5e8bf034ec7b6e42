import { setTimeout as delay } from 'node:timers/promises';
import { startDevStack, type DevStack } from './dev-stack.ts';

/** How long a stack that has lost a part may take to end or to recover. */
const REACTION_MS = 10_000;

async function isHealthy({ info }: DevStack): Promise<boolean> {
  try {
    return (await fetch(`${info.baseUrl}/health`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

/** A stack that has lost a part, as it recovered, or started again. */
export async function recovered(dataDir: string, stack: DevStack): Promise<DevStack> {
  const { run } = stack;
  await Promise.race([run.ended, delay(REACTION_MS)]);
  const hasEnded = () => run.child.exitCode !== null || run.child.signalCode !== null;
  if (!hasEnded() && (await isHealthy(stack))) return stack;
  if (!hasEnded()) run.child.kill('SIGKILL');
  await run.ended;
  return await startDevStack(dataDir);
}
