import { isKmsKey } from '../../src/accounts/kms-signer.ts';
import type { AccountStores } from './upsert-account.ts';
import { ensureWalletSecret, walletSecretId } from './wallet-secret.ts';
import { kmsWallet, type Wallet } from './wallet-signer.ts';

/**
 * The wallet that an operator names for an account.
 * @param key The ARN of a key in KMS, or the end of the name of a secret, which is created if it does not exist.
 */
export async function namedWallet(key: string, corporateId: string, stores: AccountStores): Promise<Wallet> {
  const { secrets, environment } = stores;
  if (isKmsKey(key)) return await kmsWallet(secrets, key);
  const keyId = walletSecretId(environment, corporateId, key);
  return { keyId, address: await ensureWalletSecret(secrets, keyId) };
}
