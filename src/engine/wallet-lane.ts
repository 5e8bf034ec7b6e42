import type { Address } from 'viem';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';

/** A lane: one wallet on one chain, the unit of ordering, of nonces and of driving. */
export interface WalletLane {
  /** Decimal. */
  readonly chainId: string;
  readonly walletAddress: LowerCaseAddress;
}

/** The lane of a wallet, whose address may be in any letter case. */
export function laneOf(chainId: string, walletAddress: Address): WalletLane {
  return { chainId, walletAddress: lowerCase(walletAddress) };
}

/** The name of a lane's Durable Object. */
export function laneName({ chainId, walletAddress }: WalletLane): string {
  return `${chainId}:${walletAddress}`;
}
