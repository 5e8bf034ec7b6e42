import type { Address } from 'viem';
import { holderView } from '../../chains/views.ts';
import { NotNow } from '../../engine/order-kind.ts';
import type { ChainReads } from '../../engine/order-kind.ts';
import { readView } from '../../engine/read-view.ts';
import type { MintOrder } from './minting-orders.store.ts';

/** The errors with which ERC-721 contracts refuse to mint a token that exists; the standard's names nobody. */
const EXISTS = /\b(ERC721InvalidSender|CertificateAlreadyIssued)\(/;

/** Why an ERC-721 token that has a holder cannot be minted. */
export function tokenExists(tokenId: string, holder: Address): string {
  return `Token ${tokenId} exists and belongs to ${holder}`;
}

/**
 * Says of a mint that was refused because its token exists whose the token is.
 * @param reason Why the mint was refused.
 * @returns `reason` where it is another one, or the chain does not say who holds the token.
 */
export async function explainExistingToken(reads: ChainReads, order: MintOrder, reason: string): Promise<string> {
  if (order.ercStandard !== '721' || !EXISTS.test(reason)) return reason;
  try {
    const holder = await readView(reads, holderView(order.contractAddress, BigInt(order.tokenId)));
    return holder === undefined ? reason : tokenExists(order.tokenId, holder);
  } catch (error) {
    if (error instanceof NotNow) return reason;
    throw error;
  }
}
