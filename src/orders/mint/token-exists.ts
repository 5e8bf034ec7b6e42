import type { Address } from 'viem';
import { valueOf } from '../../chains/ask.ts';
import { configuredChain } from '../../chains/client.ts';
import { askHolder } from '../../chains/questions.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { Services } from '../../services.ts';
import type { Claim } from '../../transactions/operation.ts';
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
export async function explainExistingToken(
  { chains }: Pick<Services, 'chains'>,
  { chainId, order }: Claim<MintOrder>,
  reason: string,
): Promise<string> {
  if (order.ercStandard !== '721' || !EXISTS.test(reason)) return reason;
  const { client } = configuredChain(chains, chainId);
  try {
    const holder = valueOf(await askHolder(client, order.contractAddress, BigInt(order.tokenId)));
    return holder === undefined ? reason : tokenExists(order.tokenId, holder);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'upstream') return reason;
    throw error;
  }
}
