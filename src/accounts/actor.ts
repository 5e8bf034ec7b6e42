import type { AccountKey } from './account-key.ts';
import type { Scope } from '../platform/database/vocabulary/scope.ts';

/**
 * Who acts for an account:
 * - `operator`: a holder of one of GLOBAL_SECRET_KEY, for the account in X-CORPORATE-ID
 * - `key`: a holder of a key of the account
 * - `admin`: a holder of ADMIN_SECRET_KEY, for the account in X-CORPORATE-ID; manages keys and decides what needs
 *   approval
 */
export type Actor =
  | { readonly type: 'operator' }
  | { readonly type: 'key'; readonly key: AccountKey }
  | { readonly type: 'admin' };

/** Who may use a route of an account. */
export interface Access {
  /** The scope that a key of the account needs. */
  readonly scope: Scope;
  /** Another scope that is enough, too. */
  readonly orScope?: Scope;
  /** Whether an admin may use it too. Default: only with the scope `keys`. */
  readonly isForAdmin?: boolean;
}

/** The scopes of which a key of the account needs one. */
export function scopesOf({ scope, orScope }: Access): Scope[] {
  return orScope === undefined ? [scope] : [scope, orScope];
}

/** Whether an actor may use a route. A global API key creates no keys, which would outlive it. */
export function mayUse(actor: Actor, { scope, orScope = scope, isForAdmin = scope === 'keys' }: Access): boolean {
  if (actor.type === 'key') return actor.key.scopes.includes(scope) || actor.key.scopes.includes(orScope);
  return actor.type === 'admin' ? isForAdmin : scope !== 'keys';
}
