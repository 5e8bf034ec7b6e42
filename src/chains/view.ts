import type { Address, Hex } from 'viem';

/** A call that is only simulated, and how to read what it returns. */
export interface View<Value> {
  /** The sender; default: unspecified. */
  readonly from?: Address;
  readonly to: Address;
  readonly data: Hex;
  /** Decodes the return data; throws if it does not match. */
  readonly read: (returned: Hex) => Value;
}
