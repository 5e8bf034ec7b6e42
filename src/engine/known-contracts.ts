import type { Address } from 'viem';

/** About how many contracts are remembered. */
const MAX_CONTRACTS = 1_000;

/** Addresses at which a lane has seen code, so that it is not read again for each call; nodes bill by the call. */
export class KnownContracts {
  /** The block at which code was first seen, by address. */
  readonly #firstSeen = new Map<Address, number>();

  /** Whether code was already there when the last final block was the head, so that no reorganization removes it. */
  isLasting(address: Address, head: number, finality: number): boolean {
    return head >= (this.#firstSeen.get(address) ?? Infinity) + finality - 1;
  }

  /** Records what was read at a block. @param empty Those of the addresses that have no code. */
  observe(addresses: readonly Address[], empty: readonly Address[], block: number): void {
    if (this.#firstSeen.size > MAX_CONTRACTS) this.#firstSeen.clear();
    for (const address of addresses) {
      if (empty.includes(address)) this.#firstSeen.delete(address);
      else if (!this.#firstSeen.has(address)) this.#firstSeen.set(address, block);
    }
  }

  /** Forgets what was seen in blocks that were false, or on a branch that was left. */
  forgetBlocksAbove(block: number): void {
    for (const [address, seenAt] of this.#firstSeen) if (seenAt > block) this.#firstSeen.delete(address);
  }
}
