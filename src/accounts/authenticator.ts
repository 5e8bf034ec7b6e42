import type { DomainError } from '../core/domain-error.ts';
import type { Account } from './account.ts';
import type { Access, Actor } from './actor.ts';

/** What a request says of who sends it. */
export interface Credentials {
  /** @param name In lower case. */
  readonly header: (name: string) => string | undefined;
  /** Counts what an address guesses: keys that are wrong, or lookups of unknown ones. @throws {DomainError} */
  readonly countGuess: (what: 'key' | 'lookup') => Promise<void>;
}

/** Who sends a request of an account. */
export interface Caller {
  readonly actor: Actor;
  readonly account: Account;
  /** Why the caller, who is known, may not make this request. */
  readonly refusal?: DomainError | undefined;
}

/** Finds out who sends a request. */
export interface Authenticator {
  /** As of two seconds ago at most. @throws {DomainError} if nobody is known by these credentials. */
  readonly findCaller: (credentials: Credentials, access: Access) => Promise<Caller>;
  /** @throws {DomainError} without the admin key. */
  readonly requireAdmin: (credentials: Credentials) => Promise<void>;
}
