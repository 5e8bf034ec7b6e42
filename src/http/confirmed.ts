import type { Context, Handler, Next } from 'hono';
import { Outdated } from '../platform/database/assumptions.ts';
import { isAborted } from '../platform/database/errors.ts';
import { Replayed } from './keyed-request.ts';
import type { AppEnv } from './app-env.ts';

/** How often a request runs at most: on what it assumes, again for its caller, and twice for an attempt that it meets and what that has done. */
const RUNS = 5;

/**
 * Runs the handler of a route on what the request assumes, and again with what is so if that was wrong: nothing has been changed by then. The
 * reply waits for the confirmation, be it a refusal.
 */
export function confirmed(handler: Handler<AppEnv>): Handler<AppEnv> {
  const run = async (c: Context<AppEnv>, next: Next): Promise<Response> => {
    const confirm = () => c.get('assumptions')?.check(c.get('services').db.sql);
    let response: Response;
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a handler of a route returns
      response = (await handler(c, next)) as Response;
    } catch (error) {
      // The caller is another now: nothing may be found for the former one.
      if (!(error instanceof Outdated)) await confirm();
      throw error;
    }
    await confirm();
    return response;
  };
  return async (c, next) => {
    for (let runs = 1; ; runs += 1) {
      try {
        return await run(c, next);
      } catch (error) {
        const keyed = c.get('keyed');
        if (error instanceof Replayed && keyed !== undefined) return await keyed.responseOf(error);
        if (runs === RUNS) throw error;
        c.get('assumptions')?.restart();
        if (error instanceof Outdated) await c.get('authenticateAgain')?.();
        else if (isAborted(error, 'idempotency_key_taken')) keyed?.assumeNew(c.get('assumptions'));
        else throw error;
      }
    }
  };
}
