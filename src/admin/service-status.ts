import { formatEther } from 'viem';
import { z } from 'zod';
import { DEFAULT_CHAIN } from '../chains/list.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import { HOLD_REASONS } from '../core/hold-reason.ts';
import { timeOf } from '../core/ids.ts';
import { lanesAtWork } from '../engine/store/idle-lanes.ts';
import type { LaneAtWork } from '../engine/store/idle-lanes.ts';
import { countHeld, listPauses } from '../engine/store/pauses.ts';
import type { Held } from '../engine/store/pauses.ts';
import { orderKinds } from '../orders/kinds.ts';
import { QUEUE_NAMES } from '../platform/queues/messages.ts';
import type { QueueName } from '../platform/queues/messages.ts';
import type { Services } from '../services.ts';
import { VERSION } from './health.store.ts';
import { countWork, EVENTS, walletsAtWork, workTables } from './work-in-hand.store.ts';
import type { OwnedWallet, WorkCount } from './work-in-hand.store.ts';

const DAY_MS = 24 * 3_600_000;
/** How many lanes are listed. */
const LANES = 200;
/** How many paused accounts, and chains, are listed. */
const PAUSES = 200;

const backlogSchema = z
  .object({ messages: z.int(), bytes: z.int(), oldestAt: instantField.nullable() })
  .nullable()
  .meta({ id: 'QueueBacklog', description: 'null when the platform does not say' });

const tables = workTables(orderKinds);

/** What each table of work has in each of its states. */
const workSchema = z.object(
  Object.fromEntries(
    tables.map(({ label, statuses }) => [
      label,
      z.object(Object.fromEntries(statuses.map((status) => [status, z.int()]))),
    ]),
  ),
);

const laneSchema = z
  .object({
    chainId: z.string(),
    address: z.string().meta({ description: 'The wallet, in lower case' }),
    state: z.enum(['ok', 'stuck', 'fee_capped', 'empty']).meta({
      description:
        'stuck: nothing is mined, or the chain does not answer; fee_capped: fees are above the cap; empty: the wallet cannot pay',
    }),
    orderId: recordIdField.nullable().meta({ description: 'The order that holds the lane up' }),
    reason: z.string().nullable(),
    since: instantField.nullable(),
  })
  .meta({ id: 'Lane' });

const walletFields = { chainId: z.string(), walletAddress: z.string(), corporateId: z.string() };

export const serviceStatusSchema = z
  .object({
    service: z.literal('nft-issuance-service'),
    version: z.string(),
    timestamp: instantField,
    status: z.enum(['ok', 'degraded']),
    unavailable: z.array(z.string()).meta({
      description: 'What did not answer; the fields that depend on it are null or missing',
      example: [`chain ${DEFAULT_CHAIN.id}`],
    }),
    queues: z.record(z.enum(QUEUE_NAMES), backlogSchema),
    work: workSchema.nullable().meta({
      description:
        'How much is in each state: all that is unfinished; of what has ended, what was accepted in the last 24 hours',
    }),
    oldestUnfinished: z
      .object({
        type: z.enum(tables.map(({ label }) => label).filter((label) => label !== EVENTS)),
        id: recordIdField,
        status: z.string(),
        createdAt: instantField,
      })
      .nullable(),
    lanes: z.array(laneSchema).meta({
      description: `One wallet on one chain each: those with work, at most ${LANES}; what is held up longest comes first`,
    }),
    held: z.array(z.object({ reason: z.enum(HOLD_REASONS), orders: z.int(), since: instantField.nullable() })).meta({
      description: 'How many orders are not signed now, by the reason, and since when the first of them is held',
    }),
    paused: z
      .object({
        accounts: z.array(z.object({ corporateId: z.string(), pausedAt: instantField.nullable() })),
        chains: z.array(z.object({ chainId: z.string(), pausedAt: instantField })),
      })
      .meta({ description: `What the operator has paused, longest first; of each at most ${PAUSES}` }),
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
    attempt(
      'data store',
      Promise.all([
        countWork(db, tables, new Date(now - DAY_MS)),
        walletsAtWork(db),
        lanesAtWork(db, LANES),
        countHeld(db),
        listPauses(db, PAUSES),
      ]),
    ),
  ]);
  const [counts, wallets, lanes, held, pauses] = stored ?? [];
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
    lanes: lanes?.map(laneReply) ?? [],
    held: held?.map(heldReply) ?? [],
    paused: {
      accounts: pauses?.accounts.map(pauseReply) ?? [],
      chains: pauses?.chains.map((row) => ({ ...row, pausedAt: row.pausedAt.toISOString() })) ?? [],
    },
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

function workOf(counts: readonly WorkCount[]): z.output<typeof workSchema> {
  const countOf = (label: string, status: string) =>
    counts.find((entry) => entry.label === label && entry.status === status)?.count ?? 0;
  return Object.fromEntries(
    tables.map(({ label, statuses }) => [
      label,
      Object.fromEntries(statuses.map((status) => [status, countOf(label, status)])),
    ]),
  );
}

const LANE_STATES = { ok: 'ok', stuck: 'stuck', 'fee-capped': 'fee_capped', empty: 'empty' } as const;

function laneReply({ state, since, ...lane }: LaneAtWork): z.output<typeof laneSchema> {
  return { ...lane, state: LANE_STATES[state], since: since?.toISOString() ?? null };
}

function heldReply({ reason, orders, since }: Held) {
  return { reason: HOLD_REASONS[reason], orders, since: since?.toISOString() ?? null };
}

function pauseReply({ corporateId, pausedAt }: { readonly corporateId: string; readonly pausedAt: Date | null }) {
  return { corporateId, pausedAt: pausedAt?.toISOString() ?? null };
}

/** Events wait for others' servers; what waits for us is an order or a contract. */
function oldestOf(counts: readonly WorkCount[]): z.output<typeof serviceStatusSchema>['oldestUnfinished'] {
  let oldest: z.output<typeof serviceStatusSchema>['oldestUnfinished'] = null;
  for (const { label, status, oldestId } of counts) {
    if (label === EVENTS || oldestId === null || (oldest !== null && oldest.id <= oldestId)) continue;
    oldest = { type: label, id: oldestId, status, createdAt: new Date(timeOf(oldestId)).toISOString() };
  }
  return oldest;
}
