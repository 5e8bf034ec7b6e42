import { sendVerdict } from '../chains/rpc-error.ts';
import type { SendVerdict } from '../chains/rpc-error.ts';
import { runBatch } from '../platform/database/client.ts';
import type { Lane, SignedJob } from './job.ts';
import { markBroadcast } from './transactions.store.ts';

/** Transaction id -> what the node said of its bytes; `taken` where it took them now or before. */
export type SendVerdicts = ReadonlyMap<string, 'taken' | Exclude<SendVerdict, 'known'>>;

/**
 * Sends stored bytes, lowest nonce first, in one JSON-RPC batch, and notes what a node took: the transaction is
 * `broadcast`, its order SENT. Bytes that got no clear answer keep their state and are sent again later.
 */
export async function broadcast<Order>(
  lane: Lane<Order, unknown>,
  jobs: readonly SignedJob<Order>[],
): Promise<SendVerdicts> {
  if (jobs.length === 0) return new Map();
  const { services, operation, chain } = lane;
  const ordered = jobs.toSorted((a, b) => a.transaction.nonce - b.transaction.nonce);
  const verdicts = new Map(
    await Promise.all(ordered.map(async (job) => [job.transaction.id, await send(lane, job)] as const)),
  );

  const taken = ordered.filter(({ transaction }) => verdicts.get(transaction.id) === 'taken');
  if (taken.length > 0) {
    const sent = operation.markSent(
      services,
      taken.map(({ claim }) => claim.orderId),
    );
    await runBatch(services.db, [
      markBroadcast(
        services.db,
        taken.map(({ transaction }) => transaction.id),
        new Date(services.clock.now()),
      ),
      ...(sent === undefined ? [] : [sent]),
    ]);
  }
  services.log.info('transactions.broadcast', {
    kind: operation.kind,
    chainId: chain.id,
    sent: ordered.length,
    taken: taken.length,
  });
  return verdicts;
}

async function send<Order>(
  { chain, services }: Lane<Order, unknown>,
  { transaction, claim }: SignedJob<Order>,
): Promise<'taken' | Exclude<SendVerdict, 'known'>> {
  try {
    await chain.client.request({ method: 'eth_sendRawTransaction', params: [transaction.rawTransaction] });
    return 'taken';
  } catch (error) {
    const verdict = sendVerdict(error);
    if (verdict === 'known') return 'taken';
    services.log.warn('transactions.not_taken', {
      orderId: claim.orderId,
      accountId: claim.account.id,
      nonce: transaction.nonce,
      verdict,
    });
    return verdict;
  }
}
