import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type SupervisedProcess, startSupervised } from './processes/supervised-process.ts';
import { assertPortFree, freePort } from './ports.ts';

/** A local chain. */
export interface Anvil {
  readonly url: string;
  /** Resolves when the node has exited for any reason, with how. */
  readonly exited: Promise<string>;
  /** Saves the state, if there is a state file, and stops. */
  stop(): Promise<void>;
}

export interface AnvilOptions {
  readonly chainId: number;
  /** Default: any free port. */
  readonly port?: number;
  /** Where the chain and its history are stored; without it they are lost when the process exits. */
  readonly stateFile?: string;
  /** Also mines a block at this interval, in milliseconds, with or without transactions. */
  readonly blockTimeMs?: number;
}

const STARTUP_MS = 20_000;

/** The path of anvil: in the npm package on Linux x64, elsewhere on the PATH. */
function findAnvil(): string {
  const packaged = fileURLToPath(new URL('../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url));
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, process.platform === 'win32' ? 'anvil.exe' : 'anvil'));
  const found = [packaged, ...onPath].find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(
      'anvil was not found. npm installs it on Linux x64 only; elsewhere, install Foundry (https://getfoundry.sh) so that `anvil` is on the PATH.',
    );
  }
  return found;
}

const requestBody = (method: string, params: readonly unknown[] = []) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

async function chainIdOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: requestBody('eth_chainId'),
      signal: AbortSignal.timeout(1_000),
    });
    return Number(z.object({ result: z.string() }).parse(await response.json()).result);
  } catch {
    // Not listening yet.
    return undefined;
  }
}

async function waitUntilReady(url: string, chainId: number, process_: SupervisedProcess): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  let exited: string | undefined;
  void process_.exited.then((how) => (exited = how));
  while (Date.now() < deadline) {
    // Checked first: if it has exited, another program may be answering on this port.
    if (exited !== undefined) throw new Error(`anvil exited (${exited}).\n${process_.lastLines()}`);
    if ((await chainIdOf(url)) === chainId) return;
    await delay(25);
  }
  await process_.stop();
  throw new Error(`anvil did not respond on ${url} within ${STARTUP_MS / 1_000} seconds.\n${process_.lastLines()}`);
}

/** What stops mining, without which the state would be saved with accounts that are a block ahead of its blocks. */
const stopMining = (url: string) =>
  [requestBody('evm_setAutomine', [false]), requestBody('evm_setIntervalMining', [0])].map((body) => ({ url, body }));

async function startOn(port: number, { chainId, stateFile, blockTimeMs }: AnvilOptions): Promise<Anvil> {
  const args = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--quiet'];
  // By default anvil writes hundreds of megabytes of historical states to the home directory. Blocks, transactions,
  // receipts and logs are kept.
  args.push('--prune-history', '64');
  // The state is also saved at exit. The interval limits what a crash of anvil loses; each save writes the whole state
  // (about 2.4 KB per transaction), so it must not be too short.
  if (stateFile !== undefined) args.push('--state', stateFile, '--state-interval', '10');
  if (blockTimeMs !== undefined) args.push('--block-time', String(blockTimeMs / 1_000), '--mixed-mining');
  const url = `http://127.0.0.1:${port}`;
  const process_ = await startSupervised({
    name: `anvil (chain ${chainId})`,
    command: findAnvil(),
    args,
    // It saves its state on SIGTERM.
    ...(stateFile === undefined ? {} : { beforeStop: stopMining(url) }),
    stopSignals: ['SIGTERM'],
    graceMs: 10_000,
  });
  await waitUntilReady(url, chainId, process_);
  return { url, exited: process_.exited, stop: () => process_.stop() };
}

/**
 * Starts a local chain and resolves when its RPC responds. It mines a block for each transaction, and stops when this
 * process ends.
 * @throws when anvil is missing, its state file is corrupt, or it does not respond.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  if (options.port !== undefined) {
    // Otherwise a node that already listens there would be taken for this one.
    await assertPortFree(options.port);
    return startOn(options.port, options);
  }
  try {
    return await startOn(await freePort(), options);
  } catch (error) {
    // Another program may have taken the port in the meantime. Any other error occurs again.
    if (error instanceof Error && /in use/i.test(error.message)) return startOn(await freePort(), options);
    throw error;
  }
}
