import type { Services } from '../services.ts';
import type { NonceKeeper } from './nonce-keeper.ts';

/** The nonce keeper of a wallet on a chain. A fresh stub each time: one that has failed stays failed. */
export function nonceKeeperOf(
  services: Pick<Services, 'nonces'>,
  chainId: string,
  walletAddress: string,
): DurableObjectStub<NonceKeeper> {
  return services.nonces.getByName(`${chainId}:${walletAddress}`);
}
