import type { Address } from 'viem';

/** An address in lower case, the form in which contracts are stored and compared. */
export function lowerCase(address: Address): Address {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the case of the digits changes
  return address.toLowerCase() as Address;
}
