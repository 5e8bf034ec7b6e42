import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { isKmsKey, loadKmsSigner } from '../../src/accounts/kms-signer.ts';
import type { Signer } from '../../src/engine/signer.ts';
import { reasonOf, type SecretsSettings, walletKey } from './wallet-secret.ts';

/** A wallet, and what signs for it. */
export interface Wallet {
  /** EIP-55 checksummed. */
  readonly address: Address;
  /** The name of a secret, or the ARN of a key or an alias in AWS KMS. */
  readonly keyId: string;
}

/**
 * The wallet whose key is in KMS.
 * @throws when KMS refuses the key or does not answer, or its key spec is not ECC_SECG_P256K1.
 */
export async function kmsWallet(settings: SecretsSettings, arn: string): Promise<Wallet> {
  return { address: (await loadSigner(settings, arn)).address, keyId: arn };
}

/** The signer of a wallet. @throws when there is none, or the key is another wallet's. No message contains a key. */
export async function walletSigner(settings: SecretsSettings, { keyId, address }: Wallet): Promise<Signer> {
  const signer = await loadSigner(settings, keyId);
  if (signer.address === address) return signer;
  throw new Error(`The key ${keyId} is that of ${signer.address}, not of the wallet ${address}`);
}

async function loadSigner(settings: SecretsSettings, keyId: string): Promise<Signer> {
  if (!isKmsKey(keyId)) return privateKeyToAccount(await walletKey(settings, keyId));
  return await loadKmsSigner(settings, keyId, () => Date.now()).catch((error: unknown) => {
    throw new Error(`The key in KMS cannot be used: ${reasonOf(error)}`, { cause: error });
  });
}
