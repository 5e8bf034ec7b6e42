import type { Hex } from 'viem';
import { headerOf, toHex } from '../chains/rpc-values.ts';
import type { ProvenTransaction } from '../chains/signed-transaction.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { ChainHead } from './chain-head.ts';
import type { Driver } from './driver.ts';
import { namesOf, type Job } from './job.ts';
import { repliesOfMost } from './majority.ts';
import type { Consumer } from './nonce-consumers.ts';
import { CLOCK_MARGIN_MS } from './store/lane-row.ts';
import { readUnfinished } from './store/read-lane.ts';

/**
 * Finds out what used nonces of which the database knows no transaction, the lowest first. Somebody may have used the
 * wallet elsewhere; or the database was set back, and a transaction that it has lost has carried out an order that it
 * shows as waiting, so that nothing may be signed before they are explained. A final transaction explains its nonce
 * unless it makes such a call as an unfinished order that was accepted before.
 */
export async function explainNonces(driver: Driver, head: ChainHead): Promise<void> {
  const { services, lane, memory } = driver;
  while (driver.doubt?.needsOperator === false) {
    const [nonce = 0] = driver.unknownNonces;
    const consumer = memory.strangers.get(nonce) ?? (await findConsumer(driver, nonce, head));
    const order = consumer === undefined ? 'unknown' : await firstLike(driver, consumer);
    if (consumer === undefined || order === 'unknown') return memory.unread.start(head.readAt);
    const { hash } = consumer;
    if (order === undefined) {
      driver.recordExplained(nonce, consumer.blockNumber);
    } else {
      services.log.error('wallet.nonce_suspect', { ...lane, ...namesOf(order), nonce, txHash: hash });
      memory.suspect = { nonce, hash };
    }
  }
  memory.strangers.clear();
  memory.unread.stop();
}

async function findConsumer(driver: Driver, nonce: number, head: ChainHead): Promise<Consumer | undefined> {
  const { services, lane, memory, observations } = driver;
  const usedAt = observations.find(([, count]) => count > nonce)?.[0] ?? head.number;
  const found = await memory.unknownSearch.findConsumers(driver, { nonce, usedAt }, head);
  for (const used of driver.unknownNonces) {
    const consumer = found.get(used);
    if (consumer === undefined) continue;
    memory.strangers.set(used, consumer);
    services.log.warn('wallet.nonce_used_elsewhere', { ...lane, nonce: used, txHash: consumer.hash });
  }
  return found.get(nonce);
}

/**
 * The first unfinished order that a transaction may have carried out: it calls the same function of the same contract,
 * for this order or for several, and was mined after the order had been accepted. Arguments are not compared, because a
 * receiver may have been named since.
 * @returns undefined if there is none; `unknown` if nodes do not say now when it was mined.
 */
async function firstLike(driver: Driver, { transaction, blockNumber }: Consumer): Promise<Job | 'unknown' | undefined> {
  const { services, kinds, lane } = driver;
  // An authorization calls nothing. No order sends coins, or creates a contract by itself.
  if (transaction === undefined || transaction.value > 0n || transaction.to === null) return undefined;
  if (transaction.data === '0x') return undefined;
  const parts = [...kinds.values()].flatMap((kind) => partsOf(kind, transaction));
  const selectors = new Set([transaction.data, ...parts].map(selectorOf));
  const isLike = ({ kind, claim }: Job) => {
    try {
      const { to, data } = kind.call(claim);
      return to.toLowerCase() === transaction.to && selectors.has(selectorOf(data));
    } catch {
      // It cannot be carried out, so it was not.
      return false;
    }
  };
  let minedAt: EpochMs | undefined;
  for (let after = ''; ;) {
    const jobs = await readUnfinished(services.db, kinds, lane, after);
    const last = jobs.at(-1);
    if (last === undefined) return undefined;
    after = last.transaction.id;
    const alike = jobs.filter(isLike);
    if (alike.length === 0) continue;
    minedAt ??= await readBlockTime(driver, blockNumber);
    if (minedAt === undefined) return 'unknown';
    const latest = minedAt + CLOCK_MARGIN_MS;
    const first = alike.find(({ transaction: { createdAt } }) => createdAt.getTime() <= latest);
    if (first !== undefined) return first;
  }
}

function partsOf({ bundling }: Job['kind'], { to, data }: ProvenTransaction): readonly Hex[] {
  return to === null ? [] : (bundling?.split({ to, data }, []).map((part) => part.data) ?? []);
}

/** The first four bytes of a call, which name the function. */
function selectorOf(data: Hex): string {
  return data.slice(0, 10).toLowerCase();
}

/** The time of a block; undefined if no node says it, or most say different ones. */
async function readBlockTime({ chain }: Driver, block: number): Promise<EpochMs | undefined> {
  const [reply] = await repliesOfMost(chain.rpc, [{ method: 'eth_getBlockByNumber', params: [toHex(block), false] }]);
  const header = headerOf(reply);
  return header?.number === block ? header.timestamp * 1_000 : undefined;
}
