import { readContract } from '../../chains/contract-reads.ts';
import { withChainErrors } from '../../chains/chain-errors.ts';
import { holderView, supplyView } from '../../chains/views.ts';
import type { Services } from '../../services.ts';
import type { MintedDocument } from './metadata.store.ts';

/** How long a reader waits for the chain, in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Whether nothing of a token is left, whoever burned it. Of an ERC-721 token the contract says so, and of an ERC-1155 token too if it counts
 * the units (`totalSupply`); the other contracts do not know, so there the orders decide. A certificate's document is never gone: who checks the certificate needs it.
 * @returns false if no node answers in time, or only one that has not seen a block since the document was linked: it may lack the mint.
 */
export async function isGone(
  services: Pick<Services, 'chains' | 'log'>,
  token: Pick<
    MintedDocument,
    'chainId' | 'contractAddress' | 'tokenId' | 'ercStandard' | 'isCertificate' | 'isUsedUp' | 'linkedAt'
  >,
): Promise<boolean> {
  const chain = services.chains.get(token.chainId);
  if (token.isCertificate || token.ercStandard === null || chain === undefined) return false;
  const { chainId, contractAddress, tokenId, ercStandard, isUsedUp, linkedAt } = token;
  const read = async () => {
    const [block, left] = await Promise.all([
      // First in the batch, so that nothing that is read after it is from an older block.
      withChainErrors(() => chain.client.getBlock({ blockTag: 'latest' })),
      ercStandard === '721'
        ? readContract(chain.client, holderView(contractAddress, BigInt(tokenId)))
        : readContract(chain.client, supplyView(contractAddress, BigInt(tokenId))),
    ]);
    // Blocks have times in whole seconds.
    if (block.timestamp < BigInt(Math.floor(linkedAt.getTime() / 1_000))) return false;
    if (ercStandard === '721') return 'reverted' in left && left.isRevert;
    return 'value' in left ? left.value === 0n : isUsedUp;
  };
  const answer = read().catch((error: unknown) => {
    services.log.warn('metadata.chain_not_read', { chainId, contractAddress, tokenId, error });
    return false;
  });
  const timer = new AbortController();
  const late = scheduler.wait(PATIENCE_MS, { signal: timer.signal }).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.abort();
  }
}
