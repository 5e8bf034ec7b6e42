import type { AccountKey } from './account-key.ts';
import type { Scope } from './scope.ts';

/**
 * Who acts for an account:
 * - `operator`: a holder of one of GLOBAL_SECRET_KEY, for the account in X-CORPORATE-ID
 * - `key`: a holder of a key of the account
 * - `admin`: a holder of ADMIN_SECRET_KEY, for the account in X-CORPORATE-ID; manages keys and nothing else
 */
export type Actor =
  | { readonly type: 'operator' }
  | { readonly type: 'key'; readonly key: AccountKey }
  | { readonly type: 'admin' };

/** Whether an actor may use the routes of a scope. A global API key creates no keys, which would outlive it. */
export function mayUse(actor: Actor, scope: Scope): boolean {
  if (actor.type === 'key') return actor.key.scopes.includes(scope);
  return (scope === 'keys') === (actor.type === 'admin');
}
