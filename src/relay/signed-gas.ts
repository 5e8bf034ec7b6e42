import type { InputIssue } from '../core/domain-error.ts';
import { MIN_GAS } from './forward-fields.ts';

/**
 * The gas to sign for a call: 1.2 times its estimate, within the bounds of what may be signed.
 * @param ceiling The most gas that may be signed.
 * @returns an issue if even the estimate is above the ceiling.
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
