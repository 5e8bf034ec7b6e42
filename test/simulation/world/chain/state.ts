import type { Address, Hex } from 'viem';

/** How a receiving contract reacts to a token. */
export type Reception =
  | { readonly kind: 'accepts'; readonly gas: bigint }
  | { readonly kind: 'refuses'; readonly reason: Hex }
  /** Consumes all of its gas and fails. */
  | { readonly kind: 'burns' }
  /** Consumes all of its gas only if gas has a price: in a transaction, but not in an estimate without fees. */
  | { readonly kind: 'burns-when-paid' }
  /** Rejects tokens in blocks with an odd number. */
  | { readonly kind: 'moody'; readonly reason: Hex }
  /** Has code that accepts, in every third block, and none in the others. */
  | { readonly kind: 'delegated' };

export interface TokenContract {
  readonly kind: 'token';
  readonly standard: '721' | '1155';
  readonly isCertificate: boolean;
  /** Who may burn certificates, as in ERC-5484: 0 the issuer, 1 the holder, 2 both, 3 neither. */
  readonly burnAuth: number;
  readonly owner: Address;
  readonly forwarder: Address;
  readonly baseUri: string;
  /** ERC-721: token id -> holder. */
  readonly holders: ReadonlyMap<bigint, Address>;
  /** ERC-1155: `holder/id` -> amount. */
  readonly balances: ReadonlyMap<string, bigint>;
  readonly records: ReadonlyMap<bigint, { readonly uri: string; readonly hash: Hex }>;
}

export type Contract =
  | TokenContract
  | { readonly kind: 'forwarder'; readonly nonces: ReadonlyMap<Address, bigint> }
  | { readonly kind: 'proxy' }
  | { readonly kind: 'receiver'; readonly reception: Reception };

interface Account {
  readonly nonce: number;
  /** Wei. */
  readonly balance: bigint;
}

const NOBODY: Account = { nonce: 0, balance: 0n };

/** All accounts and contracts at one time. Its values are immutable, so that a copy is cheap. */
export class State {
  #accounts: Map<Address, Account>;
  #contracts: Map<Address, Contract>;

  constructor(accounts = new Map<Address, Account>(), contracts = new Map<Address, Contract>()) {
    this.#accounts = accounts;
    this.#contracts = contracts;
  }

  copy(): State {
    return new State(new Map(this.#accounts), new Map(this.#contracts));
  }

  /** Replaces its contents by those of another state. */
  become(other: State): void {
    this.#accounts = other.#accounts;
    this.#contracts = other.#contracts;
  }

  /** @param address Lower case, as everywhere in the model. */
  account(address: Address): Account {
    return this.#accounts.get(address) ?? NOBODY;
  }

  setAccount(address: Address, account: Account): void {
    this.#accounts.set(address, account);
  }

  addBalance(address: Address, wei: bigint): void {
    const { nonce, balance } = this.account(address);
    this.#accounts.set(address, { nonce, balance: balance + wei });
  }

  contract(address: Address): Contract | undefined {
    return this.#contracts.get(address);
  }

  setContract(address: Address, contract: Contract): void {
    this.#contracts.set(address, contract);
  }
}
