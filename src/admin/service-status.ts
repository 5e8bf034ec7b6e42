import { formatEther } from 'viem';
import { z } from 'zod';
import { DEFAULT_CHAIN } from '../chains/list.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import { timeOf } from '../core/ids.ts';
import { QUEUE_NAMES } from '../platform/queues/queues.ts';
import type { QueueName } from '../platform/queues/queues.ts';
import type { Services } from '../services.ts';
import { VERSION } from './health.store.ts';
import { countWork, walletsAtWork } from './work-in-hand.store.ts';
import type { OwnedWallet, WorkCount } from './work-in-hand.store.ts';

const DAY_MS = 24 * 3_600_000;

const backlogSchema = z
  .object({ messages: z.int(), bytes: z.int(), oldestAt: instantField.nullable() })
  .nullable()
  .meta({ id: 'QueueBacklog', description: 'null when the platform does not say' });

const orderCountsSchema = z
  .object({ PENDING: z.int(), PROCESSING: z.int(), SENT: z.int(), CONFIRMED: z.int(), FAILED: z.int() })
  .meta({ id: 'OrderCounts' });

const workSchema = z.object({
  minting: orderCountsSchema,
  transfers: orderCountsSchema,
  ownershipTransfers: orderCountsSchema,
  contracts: z.object({ DEPLOYING: z.int(), ACTIVE: z.int(), FAILED: z.int() }),
  webhookEvents: z.object({
    PENDING: z.int(),
    RETRYING: z.int(),
    SUCCESS: z.int(),
    FAILED: z.int(),
    SKIPPED: z.int().meta({ description: 'The account has no target' }),
  }),
});
type Work = z.output<typeof workSchema>;

const walletFields = { chainId: z.string(), walletAddress: z.string(), corporateId: z.string() };

export const serviceStatusSchema = z
  .object({
    service: z.literal('nft-issuance-service'),
    version: z.string(),
    timestamp: instantField,
    status: z.enum(['ok', 'degraded']),
    unavailable: z.array(z.string()).meta({
      description: 'What did not answer; what is told by it is null or missing below',
      example: [`chain ${DEFAULT_CHAIN.id}`],
    }),
    queues: z.object({
      deploy: backlogSchema,
      mint: backlogSchema,
      transfer: backlogSchema,
      webhook: backlogSchema,
    }),
    work: workSchema.nullable().meta({
      description:
        'How much is in each state: all that is unfinished; of what has ended, what was accepted in the last 24 hours',
    }),
    oldestUnfinished: z
      .object({
        type: z.enum(['minting', 'transfers', 'ownershipTransfers', 'contracts']),
        id: recordIdField,
        status: z.string(),
        createdAt: instantField,
      })
      .nullable(),
    walletsInFlight: z
      .array(z.object({ ...walletFields, nonces: z.int() }))
      .meta({ description: 'Wallets with transactions that are signed and not mined, at most 200' }),
    lowBalances: z
      .array(z.object({ ...walletFields, balance: z.string().meta({ description: 'Coins, decimal' }) }))
      .meta({ description: 'Wallets with less than LOW_BALANCE on a chain where they have contracts or work' }),
  })
  .meta({ id: 'ServiceStatus' });

/** How the service is: each part is asked by itself, and one that does not answer hides no other. */
export async function serviceStatus(services: Services): Promise<z.output<typeof serviceStatusSchema>> {
  const { db, clock, log } = services;
  const now = clock.now();
  const unavailable: string[] = [];
  const attempt = async <Result>(part: string, asking: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await asking;
    } catch (error) {
      log.warn('status.part_unavailable', { part, error });
      unavailable.push(part);
      return undefined;
    }
  };
  const [backlogs, stored] = await Promise.all([
    Promise.all(
      QUEUE_NAMES.map(async (name) => [name, await attempt(`queue ${name}`, backlogOf(services, name))] as const),
    ),
    attempt('data store', Promise.all([countWork(db, new Date(now - DAY_MS)), walletsAtWork(db)])),
  ]);
  const [counts, wallets] = stored ?? [];
  const chains = Map.groupBy(wallets?.watched ?? [], ({ chainId }) => chainId);
  const low = await Promise.all(
    Array.from(chains, ([chainId, own]) => attempt(`chain ${chainId}`, lowBalancesOf(services, chainId, own))),
  );
  const backlogOfQueue = new Map(backlogs);
  return {
    service: 'nft-issuance-service',
    version: VERSION,
    timestamp: new Date(now).toISOString(),
    status: unavailable.length === 0 ? 'ok' : 'degraded',
    unavailable,
    queues: {
      deploy: backlogOfQueue.get('deploy') ?? null,
      mint: backlogOfQueue.get('mint') ?? null,
      transfer: backlogOfQueue.get('transfer') ?? null,
      webhook: backlogOfQueue.get('webhook') ?? null,
    },
    work: counts === undefined ? null : workOf(counts),
    oldestUnfinished: oldestOf(counts ?? []),
    walletsInFlight: wallets?.inFlight ?? [],
    lowBalances: low.flatMap((entries) => entries ?? []),
  };
}

async function backlogOf({ queues }: Services, name: QueueName): Promise<z.output<typeof backlogSchema>> {
  const { messages, bytes, oldestAt } = await queues.backlog(name);
  return { messages, bytes, oldestAt: oldestAt?.toISOString() ?? null };
}

/** All balances of a chain in one JSON-RPC batch. */
async function lowBalancesOf({ chains, settings }: Services, chainId: string, wallets: readonly OwnedWallet[]) {
  const chain = chains.get(chainId);
  if (chain === undefined) return [];
  const balances = await Promise.all(
    wallets.map(async (wallet) => {
      const balance = await chain.client.getBalance({ address: wallet.walletAddress });
      return { ...wallet, balance };
    }),
  );
  return balances
    .filter(({ balance }) => balance < settings.LOW_BALANCE)
    .map((wallet) => ({ ...wallet, balance: formatEther(wallet.balance) }));
}

function workOf(counts: readonly WorkCount[]): Work {
  const of = (kind: WorkCount['kind'], status: string) =>
    counts.find((entry) => entry.kind === kind && entry.status === status)?.count ?? 0;
  const orders = (kind: WorkCount['kind']) => ({
    PENDING: of(kind, 'PENDING'),
    PROCESSING: of(kind, 'PROCESSING'),
    SENT: of(kind, 'SENT'),
    CONFIRMED: of(kind, 'CONFIRMED'),
    FAILED: of(kind, 'FAILED'),
  });
  return {
    minting: orders('minting'),
    transfers: orders('transfers'),
    ownershipTransfers: orders('ownershipTransfers'),
    contracts: {
      DEPLOYING: of('contracts', 'DEPLOYING'),
      ACTIVE: of('contracts', 'ACTIVE'),
      FAILED: of('contracts', 'FAILED'),
    },
    webhookEvents: {
      PENDING: of('webhookEvents', 'PENDING'),
      RETRYING: of('webhookEvents', 'RETRYING'),
      SUCCESS: of('webhookEvents', 'SUCCESS'),
      FAILED: of('webhookEvents', 'FAILED'),
      SKIPPED: of('webhookEvents', 'SKIPPED'),
    },
  };
}

/** Events wait for others' servers; what waits for us is an order or a contract. */
function oldestOf(counts: readonly WorkCount[]): z.output<typeof serviceStatusSchema>['oldestUnfinished'] {
  let oldest: z.output<typeof serviceStatusSchema>['oldestUnfinished'] = null;
  for (const { kind, status, oldestId } of counts) {
    if (kind === 'webhookEvents' || oldestId === null || (oldest !== null && oldest.id <= oldestId)) continue;
    oldest = { type: kind, id: oldestId, status, createdAt: new Date(timeOf(oldestId)).toISOString() };
  }
  return oldest;
}
