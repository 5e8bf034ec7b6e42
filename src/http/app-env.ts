import type { Account } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { Log } from '../core/log.ts';
import type { Trace } from '../core/trace.ts';
import type { AskedChange } from '../platform/database/client.ts';
import type { Env } from '../platform/env.ts';
import type { Services } from '../services.ts';
import type { ReadDocument } from './pages.ts';
import type { KeyedRequest, Replay } from './keyed-request.ts';

/** What the middleware in `app.ts` sets before a handler runs. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    services: Services;
    authenticator: Authenticator;
    readDocument: ReadDocument;
    requestId: string;
    trace: Trace;
    /** Has the ids of the request and of its trace, and the account id once it is known. */
    log: Log;
    /** Set once the caller is known. */
    actor: Actor;
    /** Set on routes of an account, and on routes of the admin that find it by a record. */
    account: Account;
    /**
     * Set on routes of an account.
     * @throws {DomainError} if the caller may no longer make the request, as of two seconds ago at most.
     */
    requireStillAllowed: () => Promise<void>;
    asked: AskedChange | undefined;
    /** SHA-256, in hex; set once the body of such a request has been read. */
    bodyHash: string | undefined;
    /** Set when the request has an Idempotency-Key. */
    keyed: KeyedRequest | undefined;
    /**
     * Set when the response has a secret that is not stored: what a retry with the same Idempotency-Key gets instead.
     */
    replay: Replay | undefined;
    /** Set when the response has a secret that a retry gets again: the response is stored encrypted. */
    hasSecretReply: true | undefined;
  };
}
