import { hexToBigInt, numberToHex, type Address } from 'viem';
import type { InputIssue } from '../core/domain-error.ts';
import { MIN_GAS } from './forward-fields.ts';
import type { Chain } from '../chains/client.ts';
import { withChainErrors, CALL_GAS } from '../chains/contract-reads.ts';
import { encodeInnerCall, type ForwardRequest } from './forward-request.ts';

/**
 * The gas to sign for a call: 1.2 times its estimate, within the bounds of what may be signed.
 * @param ceiling The most gas that may be signed.
 * @returns an issue if even the estimate is above the ceiling.
 * @internal Exported for its unit test.
 */
export function signedGas(estimate: bigint, ceiling: bigint): bigint | InputIssue {
  if (estimate > ceiling) {
    return { path: 'contractAddress', message: `needs ${estimate} gas for this call, above the ceiling of ${ceiling}` };
  }
  const wanted = (estimate * 6n + 4n) / 5n;
  const least = BigInt(MIN_GAS);
  if (wanted < least) return least;
  return wanted < ceiling ? wanted : ceiling;
}

/**
 * The gas to sign for a forwarder's inner call, from the node's estimate. The estimate is that of a transaction with
 * this call: it includes the base cost of 21,000, which the inner call does not need. That leaves room for a storage
 * slot that is in use now and free when the request is executed.
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
