import { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { changeStatus, type Import, type StatusChange } from './imports.store.ts';
import { getImport } from './read-imports.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ImportCaller, ImportKind } from '../platform/database/vocabulary/import.ts';
import type { Scope } from '../platform/database/vocabulary/scope.ts';
import { traceOf } from '../core/trace.ts';
import { waitUntil } from 'cloudflare:workers';

export const startInput = z
  .strictObject({
    skipFaulty: z.boolean().optional().meta({
      description: 'Whether rows with faults are left out; otherwise an import with faults is not started',
      example: true,
    }),
  })
  .meta({ id: 'StartImport' });

/**
 * Has the rows of a checked import accepted, in the name of the caller.
 * @throws {DomainError} `not-found`; `forbidden`; `conflict` if it is not CHECKED, or has faults that are not skipped.
 */
export async function startImport(
  services: TenantServices,
  id: string,
  { skipFaulty = false }: z.output<typeof startInput>,
): Promise<Import> {
  const change = { from: ['CHECKED'], to: 'RUNNING', isForFaultless: !skipFaulty } as const;
  return await changed(services, id, { ...change, caller: callerOf(services) });
}

/** Has a running import wait for {@link resumeImport}. @throws {DomainError} as {@link startImport}. */
export async function pauseImport(services: TenantServices, id: string): Promise<Import> {
  return await changed(services, id, { from: ['RUNNING'], to: 'PAUSED' });
}

/** Has a paused import go on, in the name of the caller. @throws {DomainError} as {@link startImport}. */
export async function resumeImport(services: TenantServices, id: string): Promise<Import> {
  return await changed(services, id, { from: ['PAUSED'], to: 'RUNNING', caller: callerOf(services) });
}

/**
 * Ends an import: no row is accepted any more, except those that are being accepted at this moment. What was accepted
 * stays. @throws {DomainError} as {@link startImport}; `conflict` if it has ended.
 */
export async function cancelImport(services: TenantServices, id: string): Promise<Import> {
  const from = ['UPLOADING', 'CHECKING', 'CHECKED', 'RUNNING', 'PAUSED'] as const;
  return await changed(services, id, { from, to: 'CANCELLED' });
}

async function changed(services: TenantServices, id: string, change: StatusChange): Promise<Import> {
  const { db, clock, actor, isRetry } = services;
  const before = await getImport(services, id);
  requireScopes(actor, before.kind);
  // An earlier attempt of the same request has made the change; it may have been undone since.
  if (!isRetry && !(await changeStatus(db, id, change, new Date(clock.now())))) throw changeRefusal(before, change);
  if (change.to === 'RUNNING') wakeImport(services, id);
  return isRetry ? before : await getImport(services, id);
}

function changeRefusal({ status, rows, faultyRows }: Import, { from }: StatusChange): DomainError {
  if (!from.includes(status)) return new DomainError('conflict', `The import is ${status}`);
  return new DomainError(
    'conflict',
    `${faultyRows} of ${rows} rows have faults: correct the file and import it again, or start with skipFaulty`,
  );
}

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

/** Has an import worked on. Call it after the commit: the cleanup job finds one whose message was lost. */
export function wakeImport({ queues, log }: Pick<TenantServices, 'queues' | 'log'>, id: string): void {
  const sent = queues.wakeImports(new Map([[id, 0]]));
  waitUntil(sent.catch((error: unknown) => log.error('import.not_queued', { importId: id, error })));
}
