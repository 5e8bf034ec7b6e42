// npm run nft -- compare: compares the database with the chains, after it was restored to an earlier time.
import './worker-runtime.ts';
import { z } from 'zod';
import type { Command } from '../command.ts';
import { commandLine } from '../command-line.ts';
import { databaseName } from '../database-name.ts';
import { UsageError } from '../usage-error.ts';
import { CHAINS, DEFAULT_CHAINS } from '../../src/chains/list.ts';
import type { ChainDefinition } from '../../src/chains/definition.ts';
import { isComplete, type Comparison } from './comparison.ts';

const USAGE = `npm run nft -- compare [--since TIME] [--adopt]

Finds the transactions of the accounts' wallets that are on chain but not in the database, and the accepted orders they executed. It
prints JSON and changes nothing.
  --since  how far back blocks are read: a time in ISO 8601; default: 10 minutes before the database last changed an order
  --adopt  store the found transactions of accepted orders, so that the engine ends these orders and does not execute them again; nothing
           is stored while a chain has unsettled or unexplained nonces
It needs DATABASE_URL and the RPC_URL_<chainId> of each chain in ALLOWED_CHAIN_IDS, with all of its nodes: more than half of them must return each
block alike. No Worker may use the database meanwhile.
Exit codes: 0 no accepted order lacks its transaction, 1 failure, 2 orders lack their transactions, or some are not final: run it again.
Examples:
  DATABASE_URL=... RPC_URL_<chainId>=... npm run nft -- compare
  npm run nft -- compare --since 2026-11-02T09:30:00Z --adopt     with the same variables, once the report is understood`;

const environmentSchema = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  NEON_FETCH_ENDPOINT: z.url().optional(),
  ALLOWED_CHAIN_IDS: z.string().optional(),
});

async function run(args: readonly string[]): Promise<void> {
  const { values } = commandLine(
    USAGE,
    { since: { type: 'string' }, adopt: { type: 'boolean', default: false } },
    { args },
  );
  const given = z.iso.datetime({ offset: true }).optional().safeParse(values.since);
  if (!given.success) throw new UsageError('--since must be a time in ISO 8601 with a time zone');
  const set = Object.entries(process.env).filter(([, value]) => value !== '');
  const environment = environmentSchema.safeParse(Object.fromEntries(set));
  if (!environment.success) throw new UsageError('DATABASE_URL must be the URL of the database');

  // After the hooks of the first import.
  const { compareDatabase } = await import('./compare-database.ts');
  console.error(`Database: ${databaseName(environment.data.DATABASE_URL)}`);
  const { comparisons, adopted } = await compareDatabase({
    ...environment.data,
    rpcUrls: rpcUrlsOf(environment.data.ALLOWED_CHAIN_IDS),
    since: given.data === undefined ? undefined : new Date(given.data),
    adopt: values.adopt,
  });
  console.log(
    JSON.stringify(
      comparisons.map((comparison) => reportOf(comparison, adopted)),
      null,
      2,
    ),
  );
  if (values.adopt && !adopted) console.error('Nothing was stored: a chain has unsettled or unexplained nonces.');
  const isOpen = (comparison: Comparison) =>
    (comparison.matching.matches.length > 0 && !adopted) || !isComplete(comparison);
  if (comparisons.some(isOpen)) process.exitCode = 2;
}

/** @returns the nodes of each allowed chain. */
function rpcUrlsOf(allowed: string | undefined): Map<ChainDefinition, readonly string[]> {
  const ids = allowed?.split(',').map((id) => id.trim()) ?? DEFAULT_CHAINS.map(({ id }) => id);
  return new Map(
    ids.map((id) => {
      const chain = CHAINS.find((each) => each.id === id);
      const rpcUrls = (process.env[`RPC_URL_${id}`] ?? '')
        .split(',')
        .map((url) => url.trim())
        .filter((url) => url !== '');
      if (chain === undefined || rpcUrls.length === 0) {
        throw new UsageError(`RPC_URL_${id} must be the URLs of nodes of a chain of the service, separated by commas`);
      }
      return [chain, rpcUrls] as const;
    }),
  );
}

function reportOf(
  { matching: { matches, unknown }, chainId, fromBlock, toBlock, moved, unsettled, unexplained }: Comparison,
  adopted: boolean,
) {
  return {
    chainId,
    fromBlock,
    toBlock,
    moved,
    unsettled,
    unexplained,
    [adopted ? 'adopted' : 'toAdopt']: matches.map(
      ({ mined: { hash, nonce, blockNumber }, of, purpose, receiver }) => ({
        orderId: of.orderId,
        kind: of.kind,
        purpose,
        txHash: hash,
        nonce,
        blockNumber,
        ...(receiver === undefined ? {} : { receiverAddress: receiver }),
      }),
    ),
    unknown: unknown.map(({ mined: { wallet, hash, nonce, blockNumber, to }, data }) => ({
      wallet,
      txHash: hash,
      nonce,
      blockNumber,
      to,
      data,
    })),
  };
}

export const command: Command = { usage: USAGE, run };
