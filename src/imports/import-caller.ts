import type { Actor } from '../accounts/actor.ts';
import { DomainError } from '../core/domain-error.ts';
import type { ImportCaller, ImportKind } from '../core/import.ts';
import type { Scope } from '../core/scope.ts';
import { traceOf } from '../core/trace.ts';
import type { TenantServices } from '../services.ts';

/** The scopes that the rows of each kind need. */
const SCOPES_OF_KIND = {
  metadata: ['metadata'],
  mints: ['mint'],
  tokens: ['metadata', 'mint'],
} as const satisfies Record<ImportKind, readonly Scope[]>;

/** @throws {DomainError} `forbidden` if a key lacks a scope that the rows need. */
export function requireScopes(actor: Actor, kind: ImportKind): void {
  const missing = SCOPES_OF_KIND[kind].filter((scope) => actor.type === 'key' && !actor.key.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new DomainError('scope_missing', `An import of ${kind} needs a key with the scope ${missing.join(' and ')}`);
}

/** Who sends this request, for whom the rows of an import are then checked and accepted. */
export function callerOf({ actor, db, origin }: TenantServices): ImportCaller {
  const row = db.asked?.row();
  return {
    keyId: actor.type === 'key' ? actor.key.id : null,
    address: row?.address ?? null,
    requestId: row?.requestId ?? null,
    trace: db.asked?.trace ?? traceOf(undefined),
    origin,
  };
}
