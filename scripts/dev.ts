// npm run dev: runs the whole service on this machine until Ctrl-C. `npm run dev -- --help` lists the options.
import { join } from 'node:path';
import { z } from 'zod';
import type { ChainDefinition } from '../src/chains/definition.ts';
import { SCOPES } from '../src/platform/database/vocabulary/scope.ts';
import { CHAINS, DEFAULT_CHAIN, DEFAULT_CHAINS } from '../src/chains/list.ts';
import { onShutdownSignal, stopAllProcesses } from '../stack/shutdown.ts';
import { PortInUseError } from '../stack/ports.ts';
import { dataDirectory } from '../cli/local-stack/data-directory.ts';
import { commandLine } from '../cli/command-line.ts';
import type { Stack } from '../stack/stack.ts';

const idsOf = (chains: readonly ChainDefinition[]) => chains.map(({ id }) => id).join(',');

const USAGE = `npm run dev [-- --fresh] [--distance MS] [--kms]

Starts the service and everything it depends on, on this machine. Ctrl-C stops it.
  --fresh        delete the data of earlier runs first
  --distance MS  add this latency to each round trip of the service to the database and the nodes
  --kms          give the account demo wallets whose keys are in a stand-in for AWS KMS; with --fresh if it has others
Environment:
  PORT               the port of the service (default 8787; 0 for any free port); nodes, database and object store have those from 1000
                     more on, or if one is in use the next
  STACK_DIR          the data directory (default .dev)
  ALLOWED_CHAIN_IDS  the chains to start, by id (default ${idsOf(DEFAULT_CHAINS)}; of ${idsOf(CHAINS)})
Examples:
  npm run dev -- --fresh
  npm run dev -- --distance 100                       what users see of a service that is far from both
  npm run dev -- --fresh --kms                        wallets whose keys never leave KMS
  PORT=8900 STACK_DIR=.dev-two npm run dev            a second one beside the first
  ALLOWED_CHAIN_IDS=${idsOf(CHAINS)} npm run dev    with all of them`;

const distanceSchema = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number);

const KEY_DAYS = 30;

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
  const { values } = commandLine(USAGE, {
    fresh: { type: 'boolean', default: false },
    distance: { type: 'string', default: '0' },
    kms: { type: 'boolean', default: false },
  });
  const port = portSchema.safeParse(process.env['PORT'] || '8787');
  if (!port.success) throw new Error('PORT must be a number from 0 to 65535.');
  const milliseconds = distanceSchema.safeParse(values.distance);
  if (!milliseconds.success) throw new Error('--distance must be a number of milliseconds from 0 to 9999.');
  const distance = milliseconds.data === 0 ? undefined : { milliseconds: milliseconds.data };
  const chains = allowedChains(process.env['ALLOWED_CHAIN_IDS'] || idsOf(DEFAULT_CHAINS));
  return {
    dataDir: dataDirectory(process.env),
    port: port.data,
    fresh: values.fresh,
    chains,
    distance,
    kms: values.kms,
  };
}

/** Makes a key of the account `demo` with every scope, for the portal and the first steps. */
async function makeKey({ info }: Stack): Promise<string> {
  const reply = await fetch(`${info.baseUrl}/keys`, {
    method: 'POST',
    headers: {
      'x-admin-secret-key': info.adminSecret,
      'x-corporate-id': info.corporateId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      name: 'Made by npm run dev',
      scopes: SCOPES,
      // Each start makes another one.
      expiresAt: new Date(Date.now() + KEY_DAYS * 86_400_000).toISOString(),
    }),
  });
  if (!reply.ok) throw new Error(`POST /keys returned ${reply.status}: ${await reply.text()}`);
  return z.object({ key: z.string() }).parse(await reply.json()).key;
}

/** What to open, and with which key. */
function banner({ info }: Stack, dataDir: string, key: string): string {
  const { baseUrl, adminSecret, corporateId, walletAddress } = info;
  return `
The service is running at ${baseUrl}

  documentation      ${baseUrl}/docs
  portal             ${baseUrl}/portal
    its key          ${key}
  console            ${baseUrl}/console
    its admin key    ${adminSecret}
  corporate account  ${corporateId}, wallet ${walletAddress}
  keys and addresses ${join(dataDir, 'stack.json')}

  Start with a forwarder, so that holders need no gas; README.md continues from there:

  curl -X POST ${baseUrl}/contracts/forwarder \\
    -H 'x-api-key: ${key}' -H 'Content-Type: application/json' \\
    -d '{"chainId":"${DEFAULT_CHAIN.id}","alias":"main"}'

Ctrl-C stops it. The Worker's log follows.
`;
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function run(): Promise<number> {
  const shutdown = Promise.withResolvers<'shutdown'>();
  onShutdownSignal(() => shutdown.resolve('shutdown'));
  const { dataDir, port, fresh, chains, distance, kms } = options();
  const away = distance === undefined ? '' : `, ${distance.milliseconds} ms from its database and nodes`;
  console.log(`Starting the local stack${fresh ? ' with no data' : ''}${away} ...`);
  // Loading it takes a moment, and the signal handler must be in place before.
  const { startStack } = await import('../stack/stack.ts');
  const starting = startStack({ dataDir, port, fresh, chains, distance, kms });
  const stack = await Promise.race([starting, shutdown.promise]);
  if (stack === 'shutdown') {
    await stopAllProcesses();
    // Without its processes the start fails and cleans up, unless it had just succeeded.
    await starting.then(
      (ready) => ready.stop(),
      () => {},
    );
    return 0;
  }
  const portalKey = await Promise.race([makeKey(stack), shutdown.promise]);
  if (portalKey !== 'shutdown') console.log(banner(stack, dataDir, portalKey));
  const reason = await Promise.race([stack.failed, shutdown.promise]);
  console.log(reason === 'shutdown' ? '\nStopping the local stack ...' : `\n${reason} Stopping the local stack ...`);
  await stack.stop();
  return reason === 'shutdown' ? 0 : 1;
}

try {
  process.exitCode = await run();
} catch (error) {
  const hint = error instanceof PortInUseError ? ' Set PORT to another port, or to 0 for any.' : '';
  console.error(`The local stack did not start: ${message(error)}${hint}`);
  process.exitCode = 1;
}
// An interrupted start may leave handles open; its processes have exited.
process.exit();
