import type { Address } from 'viem';

/** An address in lower case, the form in which addresses are stored and compared. */
export type LowerCaseAddress = Lowercase<Address>;

export function lowerCase(address: Address): LowerCaseAddress {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the case of the digits changes
  return address.toLowerCase() as LowerCaseAddress;
}
