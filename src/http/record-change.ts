import { waitUntil } from 'cloudflare:workers';
import ipaddr from 'ipaddr.js';
import type { Context, MiddlewareHandler } from 'hono';
import { ACCOUNT_NAME } from '../accounts/account-directory.ts';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import { DomainError } from '../core/domain-error.ts';
import type { Scope } from '../platform/database/vocabulary/scope.ts';
import { resourceIdField } from '../core/fields.ts';
import { newId } from '../core/record-id.ts';
import { withoutAccountKeys } from '../core/redaction.ts';
import type { AskedChange } from '../platform/database/client.ts';
import { isAborted } from '../platform/database/errors.ts';
import { recordReply, recordUnchanged } from '../platform/database/record-change.ts';
import type { AppEnv } from './app-env.ts';
import { routeOf } from './require-route.ts';

const ACTOR = { key: 'key', operator: 'global', admin: 'admin' } as const satisfies Record<Actor['type'], string>;

/** Whether a request asks for a change. Routes of the scope `read` change nothing, whatever their method. */
export function asksForChange({ req }: Context<AppEnv>, scope?: Scope): boolean {
  return scope !== 'read' && req.method !== 'GET' && req.method !== 'HEAD';
}

/**
 * Records each change that a route of an account is asked for. A change that is made is recorded in its own SQL
 * transaction, by `runChange`; any other request before its reply is sent.
 * @param successStatus The status of the reply when the change is made.
 */
export function recordChange(scope: Scope, successStatus: number): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (!asksForChange(c, scope)) return next();
    const asked = askedOfAccount(c, successStatus);
    c.set('asked', asked);
    await next();
    return ensureRecorded(c, asked, c.res.status);
  };
}

/**
 * Records each change that a route of the admin is asked for. The account is the one that the route has found, or else
 * the one in the path.
 */
export const recordAdminChange: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!asksForChange(c)) return next();
  const asked = askedChange(c, 200, () => {
    const account: Account | undefined = c.get('account');
    if (account !== undefined) return { corporateAccountId: account.id, corporateId: null };
    const corporateId = c.req.param('corporateId');
    return {
      corporateAccountId: null,
      corporateId: corporateId !== undefined && ACCOUNT_NAME.test(corporateId) ? corporateId : null,
    };
  });
  const services = c.get('services');
  c.set('services', { ...services, db: { ...services.db, asked } });
  c.set('asked', asked);
  await next();
  return ensureRecorded(c, asked, c.res.status);
};

/** Why `runChange` has not made a change that a caller may not make, or another attempt is making. */
export function changeRefusal(error: Error): DomainError | undefined {
  if (isAborted(error, 'key_revoked')) return new DomainError('api_key_invalid', 'The key in x-api-key is not valid');
  if (isAborted(error, 'account_inactive')) {
    return new DomainError('account_inactive', 'The corporate account is inactive');
  }
  if (!isAborted(error, 'idempotency_key_taken')) return undefined;
  return new DomainError('idempotency_key_in_use', 'A request with this Idempotency-Key is still running', undefined, {
    retryAfterSeconds: 1,
  });
}

/** Records that a caller who is known may not ask for this change. */
export async function recordRefusal(c: Context<AppEnv>, statusCode: number): Promise<void> {
  await ensureRecorded(c, askedOfAccount(c, statusCode), statusCode);
}

/**
 * Records a request whose change is not recorded. With any status but a 5xx it has changed nothing: a caller can send
 * such requests without end. With 401 its caller is unknown by now. Each request of an admin is recorded. A failure is
 * logged: the change, if there was one, is committed. A reply that says that the database does not answer does not wait
 * for it once more.
 */
async function ensureRecorded(c: Context<AppEnv>, asked: AskedChange, statusCode: number): Promise<void> {
  if (asked.isRecorded || statusCode === 401) return;
  const recorded = record(c, asked, statusCode);
  if (statusCode === 503) waitUntil(recorded);
  else await recorded;
}

async function record(c: Context<AppEnv>, asked: AskedChange, statusCode: number): Promise<void> {
  try {
    const store = c.get('actor').type === 'admin' || statusCode >= 500 ? recordReply : recordUnchanged;
    await store(c.get('services').db, asked, statusCode);
  } catch (error) {
    c.get('log').error('audit.not_recorded', { statusCode, error });
  }
}

function askedOfAccount(c: Context<AppEnv>, successStatus: number): AskedChange {
  const corporateAccountId = c.get('account').id;
  return askedChange(c, successStatus, () => ({ corporateAccountId, corporateId: null }));
}

type AskedAccount = Pick<ReturnType<AskedChange['row']>, 'corporateAccountId' | 'corporateId'>;

function askedChange(c: Context<AppEnv>, successStatus: number, account: () => AskedAccount): AskedChange {
  const { clock } = c.get('services');
  const actor = c.get('actor');
  const address = c.req.header('cf-connecting-ip');
  const createdAt = new Date(clock.now());
  const known = {
    id: newId(createdAt.getTime()),
    createdAt,
    actor: ACTOR[actor.type],
    keyId: actor.type === 'key' ? actor.key.id : null,
    address: address !== undefined && ipaddr.isValid(address) ? address : null,
    requestId: withoutAccountKeys(c.get('requestId')),
    method: c.req.method,
  };
  return {
    trace: c.get('trace'),
    successStatus,
    isRecorded: false,
    row: () => ({
      ...known,
      ...account(),
      route: routeOf(c),
      resourceId: resourceIdField.safeParse(c.req.param('id') ?? c.req.param('chainId')).data ?? null,
      bodyHash: c.get('bodyHash') ?? null,
    }),
  };
}
