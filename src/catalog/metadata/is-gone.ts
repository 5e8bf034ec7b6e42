import { zeroAddress } from 'viem';
import type { Address } from 'viem';
import type { Chain } from '../../chains/client.ts';
import { readContract } from '../../chains/contract-reads.ts';
import type { ContractRead } from '../../chains/contract-reads.ts';
import { withChainErrors } from '../../chains/chain-errors.ts';
import { holderView, supplyView } from '../../chains/views.ts';
import { within } from '../../core/within.ts';
import type { Services } from '../../services.ts';
import type { MintedDocument } from './metadata.store.ts';

/** How long a reader waits for the chain, in milliseconds. */
const PATIENCE_MS = 2_000;

/** What is known about a token whose document is linked. */
type TokenState = Pick<
  MintedDocument,
  | 'chainId'
  | 'contractAddress'
  | 'tokenId'
  | 'ercStandard'
  | 'isCertificate'
  | 'isUsedUp'
  | 'linkedAt'
  | 'burnedAtBlock'
>;

/**
 * Whether nothing of a token is left, whoever burned it. Of an ERC-721 token the contract says so, and of an ERC-1155 token too if it counts
 * the units (`totalSupply`); the other contracts do not know, so there the orders decide. A certificate's document is never gone: who checks the certificate needs it.
 * @returns undefined if it is not known: no node answers in time, or only one that lacks the last burn order, or that has no such token and may lack its mint.
 */
export async function isGone(
  services: Pick<Services, 'chains' | 'log'>,
  token: TokenState,
): Promise<boolean | undefined> {
  const chain = services.chains.get(token.chainId);
  if (token.isCertificate || token.ercStandard === null || chain === undefined) return false;
  const { chainId, contractAddress, tokenId } = token;
  const answer = readFrom(chain, token).catch((error: unknown) => {
    services.log.warn('metadata.chain_not_read', { chainId, contractAddress, tokenId, error });
    return undefined;
  });
  return (await within(PATIENCE_MS, answer))?.result;
}

async function readFrom(
  { client }: Chain,
  { contractAddress, tokenId, ercStandard, isUsedUp, linkedAt, burnedAtBlock }: TokenState,
): Promise<boolean | undefined> {
  const view = ercStandard === '721' ? holderView : supplyView;
  const [block, left] = await Promise.all([
    // First in the batch, so that nothing that is read after it is from an older block.
    withChainErrors(() => client.getBlock({ blockTag: 'latest' })),
    readContract<Address | bigint>(client, view(contractAddress, BigInt(tokenId))),
  ]);
  if (burnedAtBlock !== null && block.number < BigInt(burnedAtBlock)) return undefined;
  if (!isNothing(ercStandard, left, isUsedUp)) return false;
  // Blocks have times in whole seconds.
  return block.timestamp < BigInt(Math.floor(linkedAt.getTime() / 1_000)) ? undefined : true;
}

function isNothing(
  ercStandard: TokenState['ercStandard'],
  left: ContractRead<Address | bigint>,
  isUsedUp: boolean,
): boolean {
  // Some contracts return the zero address for what ERC-721 has them revert for.
  if (ercStandard === '721') return 'reverted' in left ? left.isRevert : left.value === zeroAddress;
  return 'value' in left ? left.value === 0n : isUsedUp;
}
