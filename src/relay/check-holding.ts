import { isAddressEqual } from 'viem';
import type { Chain } from '../chains/client.ts';
import { readContract } from '../chains/contract-reads.ts';
import { balanceView, holderView } from '../catalog/contracts/views.ts';
import type { InputIssue } from '../core/domain-error.ts';
import type { Holding } from '../chains/token-transfer.ts';

/**
 * Checks that `from` currently holds the tokens.
 * @throws {DomainError} `upstream` if the chain does not answer.
 */
export async function checkHolding(
  { client }: Chain,
  { contractAddress, ercStandard, from, tokenId, amount }: Holding,
): Promise<readonly InputIssue[]> {
  if (ercStandard === '721') {
    const holder = await readContract(client, holderView(contractAddress, BigInt(tokenId)));
    if ('reverted' in holder)
      return [{ path: 'tokenId', message: `has no holder: ${holder.reverted}`, code: 'not_holder' }];
    if (isAddressEqual(holder.value, from)) return [];
    return [{ path: 'from', message: `is not the holder of token ${tokenId}: ${holder.value} is`, code: 'not_holder' }];
  }
  const balance = await readContract(client, balanceView(contractAddress, from, BigInt(tokenId)));
  if ('reverted' in balance)
    return [{ path: 'tokenId', message: `has no balance: ${balance.reverted}`, code: 'not_holder' }];
  if (balance.value >= BigInt(amount)) return [];
  return balance.value === 0n
    ? [{ path: 'from', message: `is not a holder of token ${tokenId}`, code: 'not_holder' }]
    : [
        {
          path: 'amount',
          message: `is more than the balance: from holds ${balance.value} of token ${tokenId}`,
          code: 'not_holder',
        },
      ];
}
