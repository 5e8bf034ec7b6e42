// npm run demo: a tour of the service on a temporary stack.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWebhookReceiver } from './demo/webhook-receiver.ts';
import { onShutdownSignal, stopAllProcesses } from '../stack/shutdown.ts';

async function run(dataDir: string): Promise<void> {
  console.log('Starting a local stack: PostgreSQL, two chains, stand-ins for third-party services, and the Worker ...');
  const { startStack } = await import('../stack/stack.ts');
  const stack = await startStack({ dataDir, port: 0, fresh: true, quiet: true });
  const receiver = await startWebhookReceiver();
  try {
    console.log(`The service is running at ${stack.info.baseUrl}.\n`);
    const { runDemo } = await import('./demo/run-demo.ts');
    await Promise.race([
      runDemo(stack, receiver, (line) => console.log(line)),
      stack.failed.then((why) => Promise.reject(new Error(why))),
    ]);
  } finally {
    receiver.close();
    await stack.stop();
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'nft-demo-'));
const shutdown = Promise.withResolvers<'shutdown'>();
onShutdownSignal(() => shutdown.resolve('shutdown'));
try {
  const result = await Promise.race([run(dataDir), shutdown.promise]);
  if (result === 'shutdown') {
    await stopAllProcesses();
    console.log('The demo was stopped.');
    process.exitCode = 130;
  } else {
    console.log('\nEvery step succeeded, and the stack was removed. To start one that stays: npm run dev');
  }
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
