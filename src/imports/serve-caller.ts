import { newId } from '../core/record-id.ts';
import type { AskedChange } from '../platform/database/client.ts';
import { servicesFor, type Services, type TenantServices } from '../services.ts';
import type { Work } from './work.store.ts';

const ROUTE = '/imports/{id}/start';

/**
 * The services for the rows of an import: those of a request of whoever has started it. Each change has its row in the
 * audit log, as that request, and is made only while its key is not revoked and its account is active.
 */
export function servicesOf(services: Services, { import: one, account, key }: Work): TenantServices {
  const { caller } = one;
  return servicesFor(
    services,
    {
      account,
      actor: key === undefined ? { type: 'operator' } : { type: 'key', key },
      requireStillAllowed: () => Promise.resolve(),
      log: services.log.with({ accountId: account.id, importId: one.id }),
      origin: caller.origin,
      newId: () => newId(services.clock.now()),
      isRetry: false,
    },
    askedChange(services, one),
  );
}

function askedChange({ clock }: Services, { corporateAccountId, caller }: Work['import']): AskedChange {
  const createdAt = new Date(clock.now());
  const { keyId, address, requestId, trace } = caller;
  return {
    trace,
    successStatus: 200,
    isRecorded: false,
    row: () => ({
      id: newId(createdAt.getTime()),
      corporateAccountId,
      corporateId: null,
      actor: keyId === null ? 'global' : 'key',
      keyId,
      address,
      requestId,
      method: 'POST',
      route: ROUTE,
      resourceId: null,
      bodyHash: null,
      createdAt,
    }),
  };
}
