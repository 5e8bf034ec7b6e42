import { formatEther } from 'viem';
import { z } from 'zod';
import { DEFAULT_CHAIN } from '../chains/list.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import { HOLD_REASONS } from '../platform/database/vocabulary/order-status.ts';
import { timeOf } from '../core/record-id.ts';
import { activeLanes, type ActiveLane } from '../engine/store/idle-lanes.ts';
import { countHeld, listPauses, type Held } from './pauses.store.ts';
import { orderKinds } from '../orders/kinds.ts';
import { QUEUE_NAMES, type QueueName } from '../platform/queues.ts';
import type { Services } from '../services.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { accountNames } from './accounts-list.store.ts';
import { VERSION } from './health.store.ts';
import { activeWallets, type OwnedWallet } from './wallets.store.ts';
import { countWork, EVENTS, workTables, type WorkCount, type WorkTable } from './work-counts.store.ts';
import { addressReply, chainIdReply, coinsReply, corporateIdReply, corporateNameReply } from '../core/reply-fields.ts';

const DAY_MS = 24 * 3_600_000;
const MAX_LANES = 200;
/** The most paused accounts, and chains, listed. */
const MAX_PAUSES = 200;

const backlogSchema = z
  .object({
    messages: z.int().meta({ description: 'Messages in the queue', example: 0 }),
    bytes: z.int().meta({ description: 'Their size, in bytes', example: 0 }),
    oldestAt: instantField.nullable().meta({ description: 'When the oldest was sent, UTC; null if there is none' }),
  })
  .nullable()
  .meta({ id: 'QueueBacklog', description: 'null if the platform does not report it' });

const tables = workTables(orderKinds);

/** As the reply calls them. */
const statesOf = ({ names }: WorkTable) => [...new Set(Object.values(names))];

/** The number of rows of each table in each state. */
const workSchema = z.object(
  Object.fromEntries(
    tables.map((table) => [
      table.label,
      z
        .object(
          Object.fromEntries(
            statesOf(table).map((status) => [
              status,
              z.int().meta({ description: `How many are ${status}`, example: 0 }),
            ]),
          ),
        )
        .meta({ description: 'By state' }),
    ]),
  ),
);

const laneSchema = z
  .object({
    chainId: chainIdReply,
    address: addressReply.meta({ description: "The wallet's address, in lower case" }),
    state: z.enum(['ok', 'stuck', 'fee_capped', 'empty']).meta({
      description:
        'stuck: nothing is mined, or the chain does not answer; fee_capped: fees are above the cap; empty: the wallet cannot pay',
    }),
    orderId: recordIdField.nullable().meta({ description: 'The order that blocks the lane' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why, in words; null if it is ok', example: 'The chain does not answer' }),
    since: instantField.nullable().meta({ description: 'In this state since, UTC; null if it is ok' }),
  })
  .meta({ id: 'Lane' });

const walletFields = {
  chainId: chainIdReply,
  walletAddress: addressReply.meta({ description: "The wallet's address, in lower case" }),
  corporateId: corporateIdReply,
  corporateName: corporateNameReply,
};

export const serviceStatusSchema = z
  .object({
    service: z.literal('nft-issuance-service').meta({ description: 'Name of the service' }),
    version: z.string().meta({ description: 'Version of the service', example: VERSION }),
    timestamp: instantField.meta({ description: 'When the reply was made, UTC' }),
    status: z.enum(['ok', 'degraded']).meta({ description: 'degraded: a part does not answer' }),
    unavailable: z.array(z.string()).meta({
      description: 'The parts that did not answer; fields that depend on them are null or missing',
      example: [`chain ${DEFAULT_CHAIN.id}`],
    }),
    queues: z
      .object(Object.fromEntries(QUEUE_NAMES.map((name) => [name, backlogSchema])))
      .meta({ description: 'Backlog of each queue' }),
    work: workSchema.nullable().meta({
      description:
        'The number of orders, deployments and events in each state: all unfinished ones, and, among the newest 100,000 of each of the three, finished ones accepted in the last 24 hours',
    }),
    awaiting: z.int().nullable().meta({
      description: 'How many of the unfinished orders wait for an approval, or are claims nobody has claimed',
      example: 0,
    }),
    oldestUnfinished: z
      .object({
        type: z
          .enum(tables.map(({ label }) => label).filter((label) => label !== EVENTS))
          .meta({ description: 'What it is, as in `work`' }),
        id: recordIdField.meta({ description: 'Id of the order, contract or ownership transfer' }),
        status: z.string().meta({ description: 'Its state', example: 'PENDING' }),
        createdAt: instantField.meta({ description: 'When it was accepted, UTC' }),
      })
      .nullable()
      .meta({
        description: 'The oldest order that has not ended, apart from those in `awaiting`; null if there is none',
      }),
    lanes: z.array(laneSchema).meta({
      description: `The lanes (one wallet on one chain) with work, at most ${MAX_LANES}; those blocked longest come first`,
    }),
    held: z
      .array(
        z.object({
          reason: z.enum(HOLD_REASONS).meta({ description: 'As in `hold` of an order' }),
          orders: z.int().meta({ description: 'Orders held for it', example: 2 }),
          since: instantField.nullable().meta({ description: 'When the first of them was held, UTC' }),
        }),
      )
      .meta({
        description: 'The number of orders that are held unsigned, by reason, and since when the first of them is held',
      }),
    paused: z
      .object({
        accounts: z
          .array(
            z.object({
              corporateId: corporateIdReply,
              corporateName: corporateNameReply,
              pausedAt: instantField.nullable().meta({ description: 'Paused since, UTC' }),
            }),
          )
          .meta({ description: 'Paused accounts' }),
        chains: z
          .array(z.object({ chainId: chainIdReply, pausedAt: instantField.meta({ description: 'Paused since, UTC' }) }))
          .meta({ description: 'Paused chains' }),
      })
      .meta({ description: `What the operator has paused, longest first; at most ${MAX_PAUSES} of each` }),
    walletsInFlight: z
      .array(
        z.object({
          ...walletFields,
          nonces: z.int().meta({ description: 'Transactions that are signed and not mined', example: 1 }),
        }),
      )
      .meta({ description: 'Wallets with transactions that are signed but not mined, at most 200' }),
    lowBalances: z.array(z.object({ ...walletFields, balance: coinsReply })).meta({
      description: 'Wallets with less than LOW_BALANCE_<chainId> on a chain where they have contracts or work',
    }),
  })
  .meta({ id: 'ServiceStatus' });

/** The state of the service. Each part is read separately, so that a failure does not hide the others. */
export async function serviceStatus(services: Services): Promise<z.output<typeof serviceStatusSchema>> {
  const { db, clock, log } = services;
  const now = clock.now();
  const unavailable: string[] = [];
  const attempt = async <Result>(part: string, pending: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await pending;
    } catch (error) {
      log.warn('status.part_unavailable', { part, error });
      unavailable.push(part);
      return undefined;
    }
  };
  const [backlogs, stored] = await Promise.all([
    Promise.all(
      QUEUE_NAMES.map(
        async (name) => [name, (await attempt(`queue ${name}`, readBacklog(services, name))) ?? null] as const,
      ),
    ),
    attempt(
      'data store',
      Promise.all([
        countWork(db, tables, new Date(now - DAY_MS)),
        activeWallets(db),
        activeLanes(db, MAX_LANES),
        countHeld(db),
        readPauses(db),
      ]),
    ),
  ]);
  const [counts, wallets, lanes, held, pauses] = stored ?? [];
  const chains = Map.groupBy(wallets?.watched ?? [], ({ chainId }) => chainId);
  const low = await Promise.all(
    Array.from(chains, ([chainId, own]) => attempt(`chain ${chainId}`, readLowBalances(services, chainId, own))),
  );
  return {
    service: 'nft-issuance-service',
    version: VERSION,
    timestamp: new Date(now).toISOString(),
    status: unavailable.length === 0 ? 'ok' : 'degraded',
    unavailable,
    queues: Object.fromEntries(backlogs),
    work: counts === undefined ? null : workOf(counts),
    awaiting: counts?.reduce((total, { awaiting }) => total + awaiting, 0) ?? null,
    oldestUnfinished: oldestOf(counts ?? []),
    lanes: lanes?.map(laneReply) ?? [],
    held: held?.map(heldReply) ?? [],
    paused: {
      accounts: pauses?.accounts ?? [],
      chains: pauses?.chains.map((row) => ({ ...row, pausedAt: row.pausedAt.toISOString() })) ?? [],
    },
    walletsInFlight: wallets?.inFlight ?? [],
    lowBalances: low.flatMap((entries) => entries ?? []),
  };
}

async function readBacklog({ queues }: Services, name: QueueName): Promise<z.output<typeof backlogSchema>> {
  const { messages, bytes, oldestAt } = await queues.backlog(name);
  return { messages, bytes, oldestAt: oldestAt?.toISOString() ?? null };
}

/** All balances of a chain in one JSON-RPC batch. */
async function readLowBalances({ chains }: Services, chainId: string, wallets: readonly OwnedWallet[]) {
  const chain = chains.get(chainId);
  if (chain === undefined) return [];
  const { lowBalance } = chain.definition;
  const balances = await Promise.all(
    wallets.map(async (wallet) => {
      const balance = await chain.client.getBalance({ address: wallet.walletAddress });
      return { ...wallet, balance };
    }),
  );
  return balances
    .filter(({ balance }) => balance < lowBalance)
    .map((wallet) => ({ ...wallet, balance: formatEther(wallet.balance) }));
}

function workOf(counts: readonly WorkCount[]): z.output<typeof workSchema> {
  const countOf = (label: string, status: string) =>
    counts.find((entry) => entry.label === label && entry.status === status)?.count ?? 0;
  return Object.fromEntries(
    tables.map((table) => [
      table.label,
      Object.fromEntries(statesOf(table).map((status) => [status, countOf(table.label, status)])),
    ]),
  );
}

const LANE_STATES = { ok: 'ok', stuck: 'stuck', 'fee-capped': 'fee_capped', empty: 'empty' } as const;

function laneReply({ state, since, ...lane }: ActiveLane): z.output<typeof laneSchema> {
  return { ...lane, state: LANE_STATES[state], since: since?.toISOString() ?? null };
}

function heldReply({ reason, orders, since }: Held) {
  return { reason: HOLD_REASONS[reason], orders, since: since?.toISOString() ?? null };
}

async function readPauses(db: SystemDb) {
  const { accounts, chains } = await listPauses(db, MAX_PAUSES);
  const names = await accountNames(
    db,
    accounts.map(({ corporateId }) => corporateId),
  );
  return {
    chains,
    accounts: accounts.map(({ corporateId, pausedAt }) => ({
      corporateId,
      corporateName: names.get(corporateId) ?? corporateId,
      pausedAt: pausedAt?.toISOString() ?? null,
    })),
  };
}

/** The oldest unfinished order. Events are left out, because they wait for receivers. */
function oldestOf(counts: readonly WorkCount[]): z.output<typeof serviceStatusSchema>['oldestUnfinished'] {
  let oldest: z.output<typeof serviceStatusSchema>['oldestUnfinished'] = null;
  for (const { label, status, oldestId } of counts) {
    if (label === EVENTS || oldestId === null || (oldest !== null && oldest.id <= oldestId)) continue;
    oldest = { type: label, id: oldestId, status, createdAt: new Date(timeOf(oldestId)).toISOString() };
  }
  return oldest;
}
