import type { Address } from 'viem';

/** About how many contracts are remembered. */
const MAX_CONTRACTS = 1_000;

/** Addresses at which a lane has seen code, so that it is not read again for each call; nodes bill by the call. */
export class KnownContracts {
  /** The blocks at which code was first and last seen, by address. */
  readonly #seen = new Map<Address, { readonly first: number; readonly last: number }>();

  /**
   * Whether code was still there when the block in which it was first seen was final, so that no reorganization removes
   * it.
   */
  isLasting(address: Address, finality: number): boolean {
    const seen = this.#seen.get(address);
    return seen !== undefined && seen.last >= seen.first + finality - 1;
  }

  /** Records what was read at a block. @param empty Those of the addresses that have no code. */
  observe(addresses: readonly Address[], empty: readonly Address[], block: number): void {
    if (this.#seen.size > MAX_CONTRACTS) this.#seen.clear();
    for (const address of addresses) {
      if (empty.includes(address)) this.#seen.delete(address);
      else this.#seen.set(address, { first: this.#seen.get(address)?.first ?? block, last: block });
    }
  }

  /** Forgets what was seen in blocks that were false, or on a branch that was left. */
  forgetBlocksAbove(block: number): void {
    for (const [address, { first, last }] of this.#seen) {
      if (first > block) this.#seen.delete(address);
      else if (last > block) this.#seen.set(address, { first, last: block });
    }
  }
}
