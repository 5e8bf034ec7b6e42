import type { Address, Hex } from 'viem';

/** The form in which calls are compared. Of its own, so that comparing needs no part of the service. */
export function callKey(to: Address | null | undefined, data: Hex | undefined): string {
  return `${to ?? ''}:${data ?? '0x'}`.toLowerCase();
}
