import type { Chain } from '../chains/client.ts';
import type { Services } from '../services.ts';
import { indexChain } from './index-chain.ts';
import { takeUpContracts } from './index.store.ts';
import { notifyTransfers } from './transfer-notices.store.ts';

interface IndexServices extends Pick<Services, 'db' | 'clock' | 'log' | 'queues'> {
  readonly chains: ReadonlyMap<string, Pick<Chain, 'id' | 'definition' | 'rpc'>>;
}

/** The transfers whose events one statement stores, and how many such statements a run makes. */
const NOTICES = 500;
const MAX_STATEMENTS = 20;

/**
 * The minutely job: brings the index of each chain with contracts up to date, and stores the events of transfers that
 * are deep enough. A chain that fails does not stop the others.
 * @throws {Error} without the cause, because the platform logs it unredacted; the cause is in the service's own log.
 */
export async function indexTransfers(services: IndexServices): Promise<void> {
  const { db, chains, log } = services;
  const indexed = (await takeUpContracts(db)).flatMap((chainId) => chains.get(chainId) ?? []);
  const results = await Promise.all(
    indexed.map(async (chain) => {
      try {
        await indexOne(services, chain);
        return true;
      } catch (error) {
        log.error('holdings.failed', { chainId: chain.id, error });
        return false;
      }
    }),
  );
  if (results.includes(false)) throw new Error('The index of transfers failed: see holdings.failed');
}

async function indexOne(services: IndexServices, chain: Pick<Chain, 'id' | 'definition' | 'rpc'>): Promise<void> {
  const { db, clock, log } = services;
  if (!(await indexChain({ db, clock, log, chain }))) return;
  const depth = chain.definition.confirmations;
  for (let made = 0; made < MAX_STATEMENTS; made += 1) {
    const notices = { depth, limit: NOTICES, now: new Date(clock.now()) };
    const { count, endpointIds } = await notifyTransfers(db, chain.id, notices);
    await services.queues.wakeEndpoints([...endpointIds]);
    if (count < NOTICES) break;
  }
}
