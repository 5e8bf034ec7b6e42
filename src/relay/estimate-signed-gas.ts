import { hexToBigInt, numberToHex } from 'viem';
import type { Address } from 'viem';
import type { Chain } from '../chains/client.ts';
import { withChainErrors } from '../chains/chain-errors.ts';
import { CALL_GAS } from '../chains/contract-reads.ts';
import type { InputIssue } from '../core/domain-error.ts';
import { encodeInnerCall } from './forward-request.ts';
import type { ForwardRequest } from './forward-request.ts';
import { signedGas } from './signed-gas.ts';

/**
 * The gas to sign for a forwarder's inner call, from the node's estimate. The estimate is that of a transaction with this call:
 * it includes the base cost of 21,000, which the inner call does not need. That leaves room for a storage slot that is in use now
 * and free when the request is executed.
 * @param ceiling The most gas that may be signed.
 * @returns an issue if even the estimate is above the ceiling.
 * @throws {DomainError} `invalid` with the contract's error if the call reverts; `upstream` if no node answers.
 */
export async function estimateSignedGas(
  { client }: Chain,
  forwarder: Address,
  request: Pick<ForwardRequest, 'from' | 'to' | 'data'>,
  ceiling: number,
): Promise<bigint | InputIssue> {
  const call = { from: forwarder, to: request.to, data: encodeInnerCall(request), gas: numberToHex(CALL_GAS) };
  const estimate = await withChainErrors(async () =>
    hexToBigInt(await client.request({ method: 'eth_estimateGas', params: [call, 'latest'] })),
  );
  return signedGas(estimate, BigInt(ceiling));
}
