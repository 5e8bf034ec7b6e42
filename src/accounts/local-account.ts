import { privateKeyToAddress } from 'viem/accounts';
import type { Hex } from 'viem';
import type { Account } from './account.ts';

/** The built-in account's `secretManagerKeyId`: its key is the setting LOCAL_DEV_PRIVATE_KEY. */
export const LOCAL_KEY_ID = 'setting:LOCAL_DEV_PRIVATE_KEY';

/**
 * The built-in account for development, used when a request names no account (specification, Authentication 6). Its row
 * is written when it is first used.
 */
export function localAccount(privateKey: Hex): Account {
  return {
    id: '000000000000000000000000',
    corporateId: 'local',
    walletAddress: privateKeyToAddress(privateKey),
    secretManagerKeyId: LOCAL_KEY_ID,
    relayerAddress: null,
    isLimited: true,
  };
}
