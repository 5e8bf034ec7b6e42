import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type KeptProcess, startKept } from './kept-process.ts';
import { assertPortFree, freePort } from './ports.ts';

/** A local chain. */
export interface Anvil {
  readonly url: string;
  /** Resolves when the chain has ended, asked or unasked, with how. */
  readonly exited: Promise<string>;
  /** Writes the state, when it has a file, and ends. */
  stop(): Promise<void>;
}

export interface AnvilOptions {
  readonly chainId: number;
  /** A free one is chosen when it is absent. */
  readonly port?: number;
  /** Where the chain is kept, with its history; without it the chain ends with the process. */
  readonly stateFile?: string;
  /** Also mines a block each time so many milliseconds are over, with or without transactions. */
  readonly blockTimeMs?: number;
}

const STARTUP_MS = 20_000;

/** Where anvil is: the npm package on Linux x64, else on the PATH. */
function findAnvil(): string {
  const packaged = fileURLToPath(new URL('../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url));
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, process.platform === 'win32' ? 'anvil.exe' : 'anvil'));
  const found = [packaged, ...onPath].find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(
      'anvil was not found. npm brings it for Linux on x64 only; elsewhere install Foundry (https://getfoundry.sh) so that `anvil` is on the PATH.',
    );
  }
  return found;
}

async function chainIdOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(1_000),
    });
    return Number(z.object({ result: z.string() }).parse(await response.json()).result);
  } catch {
    // It does not listen yet.
    return undefined;
  }
}

async function untilAnswers(url: string, chainId: number, process_: KeptProcess): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  let ended: string | undefined;
  void process_.exited.then((how) => (ended = how));
  while (Date.now() < deadline) {
    // Ended first: another program may answer on this port in its place.
    if (ended !== undefined) throw new Error(`anvil ended (${ended}).\n${process_.lastLines()}`);
    if ((await chainIdOf(url)) === chainId) return;
    await delay(25);
  }
  await process_.stop();
  throw new Error(`anvil did not answer on ${url} within ${STARTUP_MS / 1_000} seconds.\n${process_.lastLines()}`);
}

async function startOn(port: number, { chainId, stateFile, blockTimeMs }: AnvilOptions): Promise<Anvil> {
  const args = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--quiet'];
  // Old states are of no use here, and by default anvil writes hundreds of megabytes of them into the home directory. Blocks,
  // transactions, receipts and logs stay.
  args.push('--prune-history', '64');
  // The state is written at the end too. The interval bounds what a crash of anvil itself loses; each write is of the whole
  // state (about 2.4 KB a transaction), so it must not be too short.
  if (stateFile !== undefined) args.push('--state', stateFile, '--state-interval', '10');
  if (blockTimeMs !== undefined) args.push('--block-time', String(blockTimeMs / 1_000), '--mixed-mining');
  const process_ = await startKept({
    name: `anvil (chain ${chainId})`,
    command: findAnvil(),
    args,
    // On SIGTERM it writes its state.
    stopSignals: ['SIGTERM'],
    graceMs: 10_000,
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(url, chainId, process_);
  return { url, exited: process_.exited, stop: () => process_.stop() };
}

/**
 * Starts a local chain and resolves when its RPC answers. It mines a block when a transaction arrives, and ends with this process.
 * @throws when anvil is missing, its state file is damaged, or it does not answer.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  if (options.port !== undefined) {
    // Else the chain that is there would answer in the place of ours.
    await assertPortFree(options.port);
    return startOn(options.port, options);
  }
  try {
    return await startOn(await freePort(), options);
  } catch (error) {
    // Another program may have taken the port in between. Any other cause shows again.
    if (error instanceof Error && /in use/i.test(error.message)) return startOn(await freePort(), options);
    throw error;
  }
}
