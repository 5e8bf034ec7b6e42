import { DomainError } from '../core/domain-error.ts';
import { withChainErrors } from './contract-reads.ts';
import type { Chain } from './client.ts';
import { integerOf } from './rpc-values.ts';
import { isMost } from './votes.ts';

/** How many blocks apart two nodes may be that agree. */
const SLACK = 100;

const isNear = (one: number, other: number) => Math.abs(one - other) <= SLACK;

/** Chain id -> the last height that the nodes of this chain agreed on. */
const agreed = new Map<string, number>();

/**
 * The height of a chain, to be stored as the block below which an order is not decided: a false one would hold that
 * order, or every order of a contract, for ever. It is asked in the batch of the current tick, so that nothing that was
 * asked before it is read from a newer block, and counts if more than half of the nodes that answer, each asked by
 * itself, are near it, or else the first height for which that holds; a single node is asked again. Nodes are not asked
 * for a height near the last one that they agreed on, so acceptance asks them about once in a hundred blocks, and no
 * lie exceeds two hundred.
 * @throws {DomainError} `upstream` if the chain does not answer, or its nodes do not agree.
 */
export async function credibleHeight({ id, client, rpc }: Pick<Chain, 'id' | 'client' | 'rpc'>): Promise<number> {
  const height = Number(await withChainErrors(() => client.getBlockNumber({ cacheTime: 0 })));
  const last = agreed.get(id);
  if (last !== undefined && isNear(last, height)) return height;
  const replies = await rpc.requestOfEach([{ method: 'eth_blockNumber', params: [] }]);
  const heights = replies.flatMap(([reply]) => integerOf(reply) ?? []);
  const candidates = rpc.providers === 1 ? [height] : [height, ...heights];
  const nearTo = (one: number) => heights.filter((other) => isNear(one, other)).length;
  const credible = candidates.find((one) => isMost(nearTo(one), heights.length));
  if (credible === undefined) {
    throw new DomainError('chain_unavailable', 'The chain does not answer', undefined, {
      cause: new Error(`One node is at block ${height}, and those asked by themselves at ${heights.join(', ')}`),
    });
  }
  agreed.set(id, credible);
  return credible;
}
