import type { PrivateKeyAccount } from 'viem/accounts';
import { SigningKeyError } from '../accounts/signing-keys.ts';
import type { WalletAccount } from '../accounts/account.ts';
import { lowerCase } from '../core/lower-case.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow } from './order-kind.ts';

/**
 * The signer of a lane's wallet, from the secret of one of its accounts.
 * @throws {NotNow} while there is none: the secrets store does not answer; the secret is not the wallet's key, as while
 *   an operator replaces it; or the account has been given another wallet, whose signatures must not use the nonces of
 *   this one.
 */
export async function laneSigner({ services, lane }: LaneContext, account: WalletAccount): Promise<PrivateKeyAccount> {
  try {
    const signer = await services.keys.signerOf(account);
    if (lowerCase(signer.address) === lane.walletAddress) return signer;
    throw new SigningKeyError(`The account's wallet is ${signer.address}; the order was accepted for another one`);
  } catch (error) {
    services.log.error('lane.key_unavailable', { ...lane, accountId: account.id, error });
    throw new NotNow(error instanceof SigningKeyError ? error.message : 'The secrets store does not answer');
  }
}
