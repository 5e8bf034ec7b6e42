import { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { callerOf, requireScopes } from './import-caller.ts';
import { changeStatus, type Import, type StatusChange } from './imports.store.ts';
import { getImport } from './read-imports.ts';
import { wakeImport } from './wake-import.ts';

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
  const isChanged = await changeStatus(db, id, change, new Date(clock.now()));
  const after = isChanged || isRetry ? await getImport(services, id) : before;
  // An earlier attempt of the same request may have made the change.
  if (!isChanged && !isRetry) throw refusalOf(after, change);
  if (change.to === 'RUNNING') wakeImport(services, id);
  return after;
}

function refusalOf({ status, rows, faultyRows }: Import, { from }: StatusChange): DomainError {
  if (!from.includes(status)) return new DomainError('conflict', `The import is ${status}`);
  return new DomainError(
    'conflict',
    `${faultyRows} of ${rows} rows have faults: correct the file and import it again, or start with skipFaulty`,
  );
}
