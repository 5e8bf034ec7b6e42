import { SigningKeyError, type Signer } from './signer.ts';
import type { WalletAccount } from './wallet-account.store.ts';
import { lowerCase } from '../core/lower-case.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow } from './order-kind.ts';

/** Pause, in milliseconds, before a key that could not be read is asked for again for what is signed. */
export const KEY_PAUSE_MS = 5_000;

/**
 * The signer of a lane's wallet, by the key of one of its accounts.
 * @throws {NotNow} while there is none, as its signer does: the secrets store or KMS does not answer, or refuses; the
 *   key is not the wallet's, as while an operator replaces it; or the account has been given another wallet, whose
 *   signatures must not use the nonces of this one.
 */
export async function laneSigner({ services, lane }: LaneContext, account: WalletAccount): Promise<Signer> {
  async function orNotNow<Result>(use: () => Promise<Result>): Promise<Result> {
    try {
      return await use();
    } catch (error) {
      services.log.error('lane.key_unavailable', { ...lane, accountId: account.id, error });
      throw new NotNow(
        error instanceof SigningKeyError ? error.message : "Its wallet's key is not available at the moment",
      );
    }
  }
  const signer = await orNotNow(async () => {
    const own = await services.loadSigner(account);
    if (lowerCase(own.address) === lane.walletAddress) return own;
    throw new SigningKeyError(`The account's wallet is ${own.address}; the order was accepted for another one`);
  });
  return {
    address: signer.address,
    signTransaction: async (transaction) => await orNotNow(async () => await signer.signTransaction(transaction)),
  };
}
