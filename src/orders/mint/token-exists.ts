import type { Address } from 'viem';
import { holderView } from '../../catalog/contracts/views.ts';
import { NotNow, type ChainReads } from '../../engine/order-kind.ts';
import { readView } from '../../engine/chain-reads.ts';
import type { MintOrder } from './minting-orders.store.ts';

/** The errors of ERC-721 contracts when minting an existing token. They do not name its holder. */
const EXISTS = /\b(ERC721InvalidSender|CertificateAlreadyIssued)\(/;

/** Why an ERC-721 token that has a holder cannot be minted. */
export function tokenExists(tokenId: string, holder: Address): string {
  return `Token ${tokenId} exists and belongs to ${holder}`;
}

/**
 * Adds the holder to the reason of a mint that failed because its token exists.
 * @param reason Why the mint failed.
 * @returns `reason` unchanged if it is a different one or the holder cannot be read.
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
