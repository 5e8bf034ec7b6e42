import type { Context, Handler, Next } from 'hono';
import { DomainError } from '../core/domain-error.ts';
import { Assumptions, confirming, Outdated } from '../platform/database/assumptions.ts';
import { isAborted, isUnavailable } from '../platform/database/errors.ts';
import { Replayed } from './keyed-request.ts';
import type { AppEnv } from './app-env.ts';

/**
 * How often a request runs at most: on what it assumes, again for its caller, and twice for an attempt that it meets
 * and what that has done.
 */
const RUNS = 5;

/**
 * Runs the handler of a route on what the request assumes, and again with what is so if that was wrong: nothing has
 * been changed by then. The reply waits for the confirmation, be it a refusal. The queries of a run confirm, and only
 * these: what comes after it, such as the row of the audit log, does not depend on how it ended.
 */
export function confirmed(handler: Handler<AppEnv>): Handler<AppEnv> {
  const run = async (c: Context<AppEnv>, next: Next): Promise<Response> => {
    const services = c.get('services');
    const assumptions = c.get('assumptions');
    const confirm = () => assumptions?.check(services.db);
    if (assumptions !== undefined) c.set('services', { ...services, db: confirming(services.db, assumptions) });
    let response: Response;
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a handler of a route returns
      response = (await handler(c, next)) as Response;
    } catch (error) {
      // The caller is another now: nothing may be found for the former one. Of a database that does not answer,
      // nothing is found for anybody, and it is not asked once more.
      if (!(error instanceof Outdated) && !isUnavailable(error)) await confirm();
      throw error;
    } finally {
      c.set('services', services);
    }
    await confirm();
    return response;
  };
  const runUntilConfirmed = async (c: Context<AppEnv>, next: Next): Promise<Response> => {
    for (let runs = 1; ; runs += 1) {
      try {
        return await run(c, next);
      } catch (error) {
        const keyed = c.get('keyed');
        if (error instanceof Replayed && keyed !== undefined) return await keyed.responseOf(error);
        if (runs === RUNS) throw error;
        const left = c.get('assumptions')?.endRun();
        c.set('assumptions', left);
        if (error instanceof Outdated) await c.get('authenticateAgain')?.();
        else if (isAborted(error, 'idempotency_key_taken')) keyed?.assumeNew(left);
        else throw callerRefusal(error) ?? error;
      }
    }
  };
  return async (c, next) => {
    try {
      return await runUntilConfirmed(c, next);
    } finally {
      // However it has ended, nothing that it has assumed is left to be confirmed.
      c.set('assumptions', new Assumptions());
    }
  };
}

/** Why a change is not made whose caller has lost its rights since it was confirmed. */
function callerRefusal(error: unknown): DomainError | undefined {
  if (isAborted(error, 'key_revoked')) return new DomainError('api_key_invalid', 'The key in x-api-key is not valid');
  if (!isAborted(error, 'account_inactive')) return undefined;
  return new DomainError('account_inactive', 'The corporate account is inactive');
}
