// npm run dev: the whole service on this machine, until Ctrl-C. `npm run dev -- --fresh` starts from nothing.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { ChainDefinition } from '../src/chains/definition.ts';
import { CHAINS, DEFAULT_CHAIN, DEFAULT_CHAINS } from '../src/chains/list.ts';
import { onEndSignal } from '../stack/end-signals.ts';
import { stopAllKept } from '../stack/kept-process.ts';
import { PortInUseError } from '../stack/ports.ts';
import { stackDirectory } from '../stack/stack-directory.ts';
import type { Stack } from '../stack/stack.ts';

const idsOf = (chains: readonly ChainDefinition[]) => chains.map(({ id }) => id).join(',');

const USAGE = `npm run dev [-- --fresh]

Starts the service and everything around it on this machine. Ctrl-C ends it.
  --fresh    remove the data of earlier runs first
Environment:
  PORT               where the service answers (default 8787; 0 for any free port)
  STACK_DIR          where the data is kept (default .dev)
  ALLOWED_CHAIN_IDS  the chains to start, by id (default ${idsOf(DEFAULT_CHAINS)}; of ${idsOf(CHAINS)})`;

const portSchema = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().max(65_535));

function allowedChains(ids: string): ChainDefinition[] {
  return ids.split(',').map((text) => {
    const chain = CHAINS.find(({ id }) => id === text.trim());
    if (chain === undefined) throw new Error(`ALLOWED_CHAIN_IDS must be a comma-separated list of ${idsOf(CHAINS)}.`);
    return chain;
  });
}

function options() {
  const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const port = portSchema.safeParse(process.env['PORT'] || '8787');
  if (!port.success) throw new Error('PORT must be a number from 0 to 65535.');
  const chains = allowedChains(process.env['ALLOWED_CHAIN_IDS'] || idsOf(DEFAULT_CHAINS));
  return { dataDir: stackDirectory(), port: port.data, fresh: values.fresh, chains };
}

function summary({ info }: Stack, dataDir: string): string {
  return `
The service answers on ${info.baseUrl}

  API description    ${info.baseUrl}/openapi.json
  keys and addresses ${join(dataDir, 'stack.json')}
  corporate account  ${info.corporateId}, wallet ${info.walletAddress}

  First a forwarder, so that contracts can be used without gas; README.md goes on from there:

  curl -X POST ${info.baseUrl}/contracts/forwarder \\
    -H 'x-api-key: ${info.apiKey}' -H 'X-CORPORATE-ID: ${info.corporateId}' -H 'Content-Type: application/json' \\
    -d '{"chainId":"${DEFAULT_CHAIN.id}","alias":"main"}'

Ctrl-C ends it. The Worker's log follows.
`;
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function run(): Promise<number> {
  const asked = Promise.withResolvers<'asked to end'>();
  onEndSignal(() => asked.resolve('asked to end'));
  const { dataDir, port, fresh, chains } = options();
  console.log(`Starting the local stack${fresh ? ' from nothing' : ''} ...`);
  // Loaded only now: it takes a moment, in which a signal must find its handler already.
  const { startStack } = await import('../stack/stack.ts');
  const starting = startStack({ dataDir, port, fresh, chains });
  const stack = await Promise.race([starting, asked.promise]);
  if (stack === 'asked to end') {
    await stopAllKept();
    // Without its processes it fails to start, and cleans up; unless it was just about to be ready.
    await starting.then(
      (ready) => ready.stop(),
      () => {},
    );
    return 0;
  }
  console.log(summary(stack, dataDir));
  const why = await Promise.race([stack.failed, asked.promise]);
  console.log(why === 'asked to end' ? '\nEnding the local stack ...' : `\n${why} Ending the local stack ...`);
  await stack.stop();
  return why === 'asked to end' ? 0 : 1;
}

try {
  process.exitCode = await run();
} catch (error) {
  const hint = error instanceof PortInUseError ? ' Set PORT to another one, or to 0 for any.' : '';
  console.error(`The local stack did not start: ${message(error)}${hint}`);
  process.exitCode = 1;
}
// Handles of a start that was broken off may be left open; the processes are gone.
process.exit();
