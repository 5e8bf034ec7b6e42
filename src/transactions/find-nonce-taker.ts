import { hexToNumber, numberToHex } from 'viem';
import type { Address, Hex, PublicClient } from 'viem';

/**
 * Finds the transaction that used a nonce of a wallet: the proof of who took it. Searches back from the newest block in
 * doubling steps for one before the nonce was used, then halves; asks the node for its states of those blocks.
 * @returns undefined when the nonce is unused, or the node no longer has the states that would tell.
 */
export async function findNonceTaker(client: PublicClient, wallet: Address, nonce: number): Promise<Hex | undefined> {
  const usedAt = async (block: number) =>
    hexToNumber(await client.request({ method: 'eth_getTransactionCount', params: [wallet, numberToHex(block)] })) >
    nonce;
  try {
    let used = hexToNumber(await client.request({ method: 'eth_blockNumber' }));
    if (!(await usedAt(used))) return undefined;
    let unused = used - 1;
    for (let step = 1; unused >= 0 && (await usedAt(unused)); step *= 2) {
      used = unused;
      unused = Math.max(-1, unused - step);
    }
    while (used - unused > 1) {
      const middle = Math.floor((used + unused) / 2);
      if (await usedAt(middle)) used = middle;
      else unused = middle;
    }
    const block = await client.getBlock({ blockNumber: BigInt(used), includeTransactions: true });
    return block.transactions.find(
      (transaction) => transaction.nonce === nonce && transaction.from.toLowerCase() === wallet.toLowerCase(),
    )?.hash;
  } catch {
    // Nodes keep the states of recent blocks only. Without proof nothing is given up; the next look may have it.
    return undefined;
  }
}
