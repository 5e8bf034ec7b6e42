import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from 'viem';
import type { Chains } from '../../src/chains/client.ts';
import { inTransaction } from '../in-transaction.ts';
import {
  chainsOf,
  contractsOf,
  readMovedAccount,
  requirePaused,
  sinceSwitch,
  switchWallet,
  takeOver,
  underWay,
} from './moved-records.ts';
import { moveCoins, moveContracts, until, type ChainMove } from './move-on-chain.ts';
import { namedWallet } from './named-wallet.ts';
import { requireUnusedWallet } from './require-unused-wallet.ts';
import type { AccountStores } from './upsert-account.ts';
import { walletSigner, type Wallet } from './wallet-signer.ts';

/**
 * For how long it waits for one thing. The cleanup job, which looks for what has become final, runs every 10 minutes.
 */
const PATIENCE_MS = 15 * 60_000;
/** How long after a switch a request that began before it may still store an order for the former wallet. */
const LATE_MS = 60_000;

export interface WalletMove {
  readonly corporateId: string;
  /** The ARN of a key in KMS, or the end of the name of a secret, which is created if it does not exist. */
  readonly key: string;
  /** Contracts that stay with the former wallet. */
  readonly left?: readonly Address[] | undefined;
  /** Those that the account uses, or more. */
  readonly chains: Chains;
  /** Told what is done, before each step. */
  readonly say: (line: string) => void;
  readonly patienceMs?: number;
  readonly lateMs?: number;
}

/**
 * Replaces the main wallet of a paused account by another one. Each step looks first at what is done, so that after a
 * crash anywhere a repetition goes on where it stopped:
 *
 * 1. Wait until nothing that the wallet has signed can still be mined, or be reorganized out
 * 2. Transfer the contracts that it owns, and wait until that is final
 * 3. Send its coins to the new wallet
 * 4. Switch: the new wallet is the account's, and takes over what is accepted and not signed
 * 5. Take over what requests that had begun before have stored since
 *
 * @throws when the account is not paused, the wallet or the new one has another use, or something does not answer or
 *   takes too long.
 */
export async function moveWallet(
  { corporateId, key, left = [], chains, say, patienceMs = PATIENCE_MS, lateMs = LATE_MS }: WalletMove,
  stores: AccountStores,
): Promise<Wallet> {
  const query = <Result>(read: Parameters<typeof inTransaction<Result>>[1]) => inTransaction(stores.databaseUrl, read);
  const account = await query((client) => readMovedAccount(client, corporateId));
  const to = await namedWallet(key, corporateId, stores);
  if (account.keyId !== to.keyId) {
    const used = await query(async (client) => {
      requirePaused(account);
      if (account.address === to.address) {
        throw new Error(`${to.address} is already its wallet; --kms-key names another key of the same wallet`);
      }
      for (const { address } of [account, to]) await requireUnusedWallet(client, corporateId, address, 'main');
      return await chainsOf(client, account);
    });
    const unknown = used.filter((id) => !chains.has(id));
    if (unknown.length > 0) {
      throw new Error(`The account uses other chains too: set ${unknown.map((id) => `RPC_URL_${id}`).join(', ')}`);
    }
    const signer = await walletSigner(stores.secrets, account);
    const moves = [...chains.values()].map((chain): ChainMove => ({ chain, signer, to: to.address, patienceMs, say }));

    say(`From ${account.address} to ${to.address}: waiting for signed transactions`);
    await until(
      { patienceMs },
      () => `Transactions of ${account.address} are under way`,
      async () => {
        return (await query((client) => underWay(client, account, used))) === 0;
      },
    );
    for (const move of moves) {
      const contracts = await query(async (client) => {
        // Resumed too early, it would mint in contracts that are no longer its own.
        requirePaused(await readMovedAccount(client, corporateId));
        return await contractsOf(client, account, move.chain.id, left);
      });
      await moveContracts(move, contracts);
    }
    for (const move of moves) await moveCoins(move);
    say(`Switching to ${to.address}`);
    await query((client) => switchWallet(client, account, to, left));
  }
  say('Waiting for requests that began earlier');
  await delay(Math.max(0, lateMs - ((await query((client) => sinceSwitch(client, account))) ?? Infinity)));
  const late = await query((client) => takeOver(client, account));
  say(`The wallet is ${to.address}; ${late} orders came late. Resume the account`);
  return to;
}
