import type { EngineServices } from '../engine/lane-context.ts';
import { limitAdmission } from '../limits/admission.store.ts';
import type { Services } from '../services.ts';
import { engineEvents } from '../webhooks/engine-hooks.store.ts';
import type { AnyServiceKind } from './define-order.ts';

/** What the engine is given in this service: its accounts' keys and limits, its webhooks, and what its kinds do at an end. */
export function engineServicesOf(services: Services): EngineServices {
  const { settings, db, keys, queues, rates, lanes, clock, log } = services;
  return {
    settings,
    db,
    loadSigner: (account) => keys.loadSigner(account),
    admission: limitAdmission,
    hooks: {
      ...engineEvents,
      wake: (endpointIds) => queues.wakeEndpoints(endpointIds),
      async afterwards(kind, outcomes, results) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine knows the kinds that it was given
        await (kind as AnyServiceKind).settled?.(services, outcomes, results);
      },
    },
    rates,
    lanes,
    clock,
    log,
  };
}
