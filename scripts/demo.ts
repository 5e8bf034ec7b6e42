// npm run demo: a tour of the service on a temporary stack.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from '../cli/command-line.ts';
import { startWebhookReceiver } from './demo/webhook-receiver.ts';
import type { StackInfo } from '../cli/local-stack/stack-files.ts';
import { onShutdownSignal, stopAllProcesses } from '../stack/shutdown.ts';

const USAGE = `npm run demo

Runs the main job once on a temporary stack: a mint, a gasless transfer, a checked certificate. It prints each step and its result, and in a
terminal keeps the stack until Ctrl-C, so that you can look at the pages. Nothing stays on this machine.
Exit codes: 0 every step succeeded, 1 failure, 130 stopped by Ctrl-C.
Examples:
  npm run demo
  npm run demo > demo.txt     ends with the last step`;

/** The pages of the service. @param certificate The path of a certificate's check. */
function links({ baseUrl, adminSecret }: StackInfo, certificate: string): string {
  return [
    `  the certificate's check   ${baseUrl}${certificate}`,
    `  the operator's console    ${baseUrl}/console`,
    `    its admin key           ${adminSecret}`,
    `  the documentation         ${baseUrl}/docs`,
  ].join('\n');
}

/** Without a terminal nobody could end a stack that stays. */
const WITHOUT_TERMINAL = `
Every step succeeded. In a terminal, the demo ends with links to look at and keeps the stack until Ctrl-C: the certificate's check, the
operator's console with its admin key, and the documentation.`;

/** @param untilStopped Resolves when whoever watches the demo has seen enough. */
async function run(dataDir: string, untilStopped: Promise<unknown>): Promise<void> {
  console.log('Starting a local stack: PostgreSQL, two chains, stand-ins for third-party services, and the Worker ...');
  const { startStack } = await import('../stack/stack.ts');
  const stack = await startStack({ dataDir, port: 0, fresh: true, quiet: true });
  const receiver = await startWebhookReceiver();
  try {
    console.log(`The service is running at ${stack.info.baseUrl}.\n`);
    const { runDemo } = await import('./demo/run-demo.ts');
    const failed = stack.failed.then((why) => Promise.reject(new Error(why)));
    const certificate = await Promise.race([runDemo(stack, receiver, (line) => console.log(line)), failed]);
    if (!process.stdout.isTTY) {
      console.log(WITHOUT_TERMINAL);
      return;
    }
    isDone = true;
    console.log(`\nEvery step succeeded. To look at in a browser:\n${links(stack.info, certificate)}`);
    console.log('\nThe stack runs until Ctrl-C.');
    await Promise.race([untilStopped, failed]);
  } finally {
    receiver.close();
    await stack.stop();
  }
}

commandLine(USAGE, {});
const dataDir = await mkdtemp(join(tmpdir(), 'nft-demo-'));
const shutdown = Promise.withResolvers<'shutdown'>();
const isOver = Promise.withResolvers<void>();
let isDone = false;
onShutdownSignal(() => {
  if (isDone) isOver.resolve();
  else shutdown.resolve('shutdown');
});
try {
  const result = await Promise.race([run(dataDir, isOver.promise), shutdown.promise]);
  if (result === 'shutdown') {
    await stopAllProcesses();
    console.log('The demo was stopped.');
    process.exitCode = 130;
  } else {
    console.log('\nThe stack was removed. To start one that stays: npm run dev');
  }
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
