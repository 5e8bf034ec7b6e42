// npm run demo: one run through the service, on a stack of its own that is removed afterwards.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWebhookReceiver } from './demo/webhook-receiver.ts';
import { onEndSignal } from '../stack/end-signals.ts';
import { stopAllKept } from '../stack/kept-process.ts';

async function run(dataDir: string): Promise<void> {
  console.log('Starting a local stack: PostgreSQL, two chains, the stand-ins for providers, and the Worker ...');
  const { startStack } = await import('../stack/stack.ts');
  const stack = await startStack({ dataDir, port: 0, fresh: true, quiet: true });
  const receiver = await startWebhookReceiver();
  try {
    console.log(`The service answers on ${stack.info.baseUrl}.\n`);
    const { tellTheStory } = await import('./demo/story.ts');
    await Promise.race([
      tellTheStory(stack, receiver, (line) => console.log(line)),
      stack.failed.then((why) => Promise.reject(new Error(why))),
    ]);
  } finally {
    receiver.close();
    await stack.stop();
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'nft-demo-'));
const asked = Promise.withResolvers<'asked to end'>();
onEndSignal(() => asked.resolve('asked to end'));
try {
  const ended = await Promise.race([run(dataDir), asked.promise]);
  if (ended === 'asked to end') {
    await stopAllKept();
    console.log('The demo was stopped.');
    process.exitCode = 130;
  } else {
    console.log('\nEverything worked, and the stack is removed. To start one to work with: npm run dev');
  }
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
