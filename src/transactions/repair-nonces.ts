import type { Services } from '../services.ts';
import { insertFills } from './fill.store.ts';
import { nonceKeeperOf } from './nonces.ts';
import { heldNonces, standingOf, unfinishedFills } from './transactions.store.ts';
import type { Wallet } from './transactions.store.ts';

/**
 * Sets a wallet's nonces right after crashes: gives back those whose operation will never use them, then fills the gaps
 * that hold up transactions which are signed with later nonces.
 * @returns order ids of the fills that were made.
 */
export async function repairNonces(services: Services, wallet: Wallet, now: Date): Promise<string[]> {
  const chain = services.chains.get(wallet.chainId);
  if (chain === undefined) return [];
  const keeper = nonceKeeperOf(services, wallet.chainId, wallet.walletAddress);
  const reservations = await keeper.list();
  const standing = await standingOf(
    services.db,
    reservations.map(({ operationId }) => operationId),
  );
  const abandoned = reservations.filter(({ operationId, nonce }) => {
    const transaction = standing.get(operationId);
    return transaction === undefined || (transaction.state !== 'preparing' && transaction.nonce !== nonce);
  });
  if (abandoned.length > 0) await keeper.release(abandoned);

  const chainNonce = await chain.client.getTransactionCount({ address: wallet.walletAddress, blockTag: 'latest' });
  const signed = (await heldNonces(services.db, wallet, chainNonce)).map(({ nonce }) => nonce);
  const held = new Set([
    ...signed,
    ...reservations.filter((reservation) => !abandoned.includes(reservation)).map(({ nonce }) => nonce),
  ]);
  let gaps = 0;
  for (let nonce = chainNonce; nonce < Math.max(chainNonce, ...signed); nonce += 1) if (!held.has(nonce)) gaps += 1;
  const fills = await unfinishedFills(services.db, wallet);
  const made = await insertFills(services.db, wallet, Math.max(0, gaps - fills.length), now);
  if (abandoned.length > 0 || made.length > 0) {
    services.log.warn('nonces.repaired', { ...wallet, released: abandoned.length, fills: made.length });
  }
  return made;
}
