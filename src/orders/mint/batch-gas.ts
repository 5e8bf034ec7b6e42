import type { MintRequest } from './mint-call.ts';

interface BatchMint extends Pick<MintRequest, 'ercStandard' | 'tokenUri'> {
  /** Whether its contract derives the URI, and so does not store it. */
  readonly isDerived?: boolean;
}

/**
 * What the gas of `mintMany` is bounded by, for contracts that this service deploys: measured with the most expensive
 * of everything (ids and addresses without a zero byte, receivers without tokens, an issuer who is not the first owner)
 * and rounded up. It depends on the call only, not on the state of the chain, so that nobody can make it too little
 * between an estimate and the block.
 */
export const BATCH_GAS = {
  /** The transaction and the check of the owner. */
  base: 26_000n,
  item: {
    standard: { '721': 51_100n, '1155': 31_200n },
    certificate: { '721': 111_500n, '1155': 116_000n },
  },
  /** Per 32 bytes of a certificate's URI, rounded up. */
  word: { '721': 23_100n, '1155': 23_400n },
  /** The same for a URI that the contract derives: it is compared, not stored. */
  derivedWord: { '721': 1_000n, '1155': 1_300n },
} as const;

/**
 * The gas limit with which `mintMany` never runs out of gas; what is not used is not charged.
 * @param mints At least one, all of one contract.
 */
export function batchGasLimit(mints: readonly BatchMint[]): bigint {
  return mints.reduce<bigint>((gas, mint) => gas + batchGasOf(mint), BATCH_GAS.base);
}

/** The share of one mint in that limit. */
export function batchGasOf({ ercStandard, tokenUri, isDerived = false }: BatchMint): bigint {
  if (tokenUri === null) return BATCH_GAS.item.standard[ercStandard];
  const words = BigInt(Math.ceil(new TextEncoder().encode(tokenUri).length / 32));
  const word = isDerived ? BATCH_GAS.derivedWord : BATCH_GAS.word;
  return BATCH_GAS.item.certificate[ercStandard] + words * word[ercStandard];
}
