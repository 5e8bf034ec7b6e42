import type { Services } from '../services.ts';
import type { NonceKeeperRpc } from '../platform/nonce-keeper-rpc.ts';

/** The nonce keeper of a wallet on a chain. A fresh stub each time: one that has failed stays failed. */
export function nonceKeeperOf(
  services: Pick<Services, 'nonces'>,
  chainId: string,
  walletAddress: string,
): DurableObjectStub<NonceKeeperRpc> {
  return services.nonces.getByName(`${chainId}:${walletAddress}`);
}
