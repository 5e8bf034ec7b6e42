// Which of the orders of a chunk share a transaction. A bundle carries only what cannot fail: the contract leaves out
// what it cannot carry out, which then goes alone, where its failure has a reason.
import type { Wei } from '../chains/wei.ts';
import type { Signer } from './signer.ts';
import { newId } from '../core/record-id.ts';
import { bundleKind } from './bundle-kind.ts';
import type { ChainHead } from './chain-head.ts';
import { MAX_TRANSACTION_GAS } from './fees.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow, type Bundling, type Call, type ChainReads } from './order-kind.ts';

/** A job with the call that executes it by itself, and what signs it. */
export interface SignableJob {
  readonly job: Job;
  readonly call: Call;
  readonly signer: Signer;
}

/** Jobs of one account and kind that may share a call of one contract. */
export interface Bundle {
  readonly contract: Call['to'];
  readonly bundling: Bundling<unknown>;
  readonly entries: readonly SignableJob[];
}

/**
 * The most that a bundle may cost: half of what a node takes by default (`--rpc.txfeecap` of geth, one coin), so
 * that it can be replaced at a higher price.
 */
const MAX_COST: Wei = 10n ** 18n / 2n;

/**
 * Puts jobs together that may share a call, in the order of the jobs.
 * @param isApart Whether what a job was in could not be stored or simulated, so that it is to go alone.
 * @param maxFeePerGas What a transaction offers now.
 * @returns the bundles, each of two jobs at least, and the jobs that share none.
 */
export function draftBundles(
  { services: { settings }, chain: { rpc } }: Pick<LaneContext, 'services' | 'chain'>,
  entries: readonly SignableJob[],
  { gasLimit }: Pick<ChainHead, 'gasLimit'>,
  maxFeePerGas: Wei,
  isApart: (transaction: Job['transaction']) => boolean,
): { readonly bundles: readonly Bundle[]; readonly alone: readonly SignableJob[] } {
  const most = [gasLimit / 2n, MAX_TRANSACTION_GAS, MAX_COST / (maxFeePerGas || 1n)].reduce((a, b) => (a < b ? a : b));
  const drafts: Draft[] = [];
  const alone: SignableJob[] = [];
  for (const entry of entries) {
    const { kind, claim, transaction } = entry.job;
    const { bundling } = kind;
    const isAlone =
      transaction.earlierBundleId !== null ||
      isApart(transaction) ||
      (rpc.providers === 1 && bundling?.isRepeatable(claim) === true);
    const contract = isAlone ? null : (bundling?.contract(claim) ?? null);
    const gas = bundling?.gas(claim) ?? 0n;
    const ceiling = kind.gasCeiling(claim.order, settings);
    if (bundling === null || contract === null || bundling.baseGas + gas > ceiling) {
      alone.push(entry);
      continue;
    }
    const key = [kind.name, claim.account.id, contract].join();
    const mark = bundling.mark(claim);
    const draft = drafts.find((one) => one.key === key && !one.marks.has(mark) && one.gas + gas <= most);
    if (draft === undefined) {
      const first = { key, contract, bundling, entries: [entry], marks: new Set([mark]), gas: bundling.baseGas + gas };
      drafts.push(first);
    } else {
      draft.entries.push(entry);
      draft.marks.add(mark);
      draft.gas += gas;
    }
  }
  const bundles = drafts.filter((draft) => draft.entries.length > 1);
  const rest = drafts.filter((draft) => draft.entries.length === 1).flatMap((draft) => draft.entries);
  return { bundles, alone: [...alone, ...rest] };
}

interface Draft extends Bundle {
  readonly key: string;
  readonly entries: SignableJob[];
  readonly marks: Set<string>;
  gas: bigint;
}

/** The result of simulating bundles. */
interface TriedBundles {
  /** Bundles of the jobs that the contract would carry out. */
  readonly bundles: readonly Bundle[];
  /** Jobs that the contract would skip; the whole bundle if the simulation is inconclusive. */
  readonly alone: readonly SignableJob[];
  /** Jobs that no node could simulate now, and why. */
  readonly unknown: readonly (readonly [SignableJob, NotNow])[];
}

/** Simulates the calls of bundles at the head. */
export async function tryBundles(
  { lane, services }: LaneContext,
  drafts: readonly Bundle[],
  reads: ChainReads,
): Promise<TriedBundles> {
  const bundles: Bundle[] = [];
  const alone: SignableJob[] = [];
  const unknown: [SignableJob, NotNow][] = [];
  const results = await Promise.all(
    drafts.map(async (draft) => {
      try {
        const { to, data, gas } = callOfBundle(draft);
        const result = await reads.call({ from: lane.walletAddress, to, data, gas });
        return 'reverted' in result ? undefined : draft.bundling.carriedOut(result.data);
      } catch (error) {
        if (error instanceof NotNow) return error;
        services.log.error('bundle.not_tried', { ...lane, error });
        return undefined;
      }
    }),
  );
  for (const [index, draft] of drafts.entries()) {
    const isCarriedOut = results[index] ?? (() => false);
    if (isCarriedOut instanceof NotNow) {
      for (const entry of draft.entries) unknown.push([entry, isCarriedOut]);
      continue;
    }
    const entries = draft.entries.filter((_, place) => isCarriedOut(place));
    if (entries.length > 1) bundles.push({ ...draft, entries });
    const carried = new Set(entries.length > 1 ? entries : []);
    alone.push(...draft.entries.filter((entry) => !carried.has(entry)));
  }
  return { bundles, alone, unknown };
}

/** The call of a bundle, with a gas limit that nobody can make too low after it is computed. */
export function callOfBundle({ contract, bundling, entries }: Bundle): Call & { readonly gas: bigint } {
  const claims = entries.map(({ job }) => job.claim);
  const gas = claims.reduce((sum, claim) => sum + bundling.gas(claim), bundling.baseGas);
  return { to: contract, data: bundling.calldata(claims), gas };
}

/** The job of a bundle that is about to be signed. @param carried At least one, all of one account. */
export function bundleJob(carried: readonly Job[], now: Date): Job {
  const [first] = carried;
  if (first === undefined) throw new Error('The bundle carries nothing');
  const { orderId, corporateAccountId, chainId, walletAddress, trace } = first.transaction;
  const { account } = first.claim;
  return {
    kind: bundleKind,
    claim: { orderId, chainId, account, order: null },
    accountStatus: first.accountStatus,
    paused: null,
    standing: first.standing,
    attempts: [],
    earlier: [],
    transaction: {
      id: newId(now.getTime()),
      kind: bundleKind.name,
      orderId,
      corporateAccountId,
      chainId,
      walletAddress,
      trace,
      state: 'waiting',
      // So that it is 0 once it is stored, with its first attempt.
      version: -1,
      nonce: null,
      bundleId: null,
      bundlePlace: null,
      bundleSize: null,
      earlierBundleId: null,
      nextTryAt: now,
      tries: 0,
      holdReason: null,
      holdDetail: null,
      heldSince: null,
      notBeforeBlock: null,
      cancelRequestedAt: null,
      approvalUntil: null,
      refusal: null,
      txHash: null,
      blockNumber: null,
      blockHash: null,
      spentWei: null,
      spentAt: null,
      isFinal: false,
      endings: 0,
      batchId: null,
      createdAt: now,
      updatedAt: now,
    },
  };
}

/** The job of a bundle that is not named after an order, which may name another one already. @param job Like whose. */
export function namelessBundle(job: Job, now: Date): Job {
  const { claim, transaction, ...rest } = bundleJob([job], now);
  const orderId = transaction.id;
  return { ...rest, claim: { ...claim, orderId }, transaction: { ...transaction, orderId } };
}
