import { createApp } from './app.ts';
import { consume } from './consumer.ts';
import { cleanUp } from './cron.ts';
import type { Env } from './platform/env.ts';
import { SettingsError } from './platform/setting-source.ts';
import { indexTransfers } from './holdings/index-transfers.ts';
import { LaneObject } from './engine/lane.ts';
import { engineServicesOf } from './orders/engine-services.ts';
import { orderKinds } from './orders/kinds.ts';
import { servicesOf, type Services } from './services.ts';

/** The Durable Object of a lane, with the service's order kinds. */
export class Lane extends LaneObject {
  protected override readonly kinds = orderKinds;

  protected override services() {
    return engineServicesOf(servicesOf(this.env));
  }
}

/** The core: placed beside the database, behind the edge (edge.ts); locally it is the whole service. */
const app = createApp();
const ignore = () => {};

/** The delay before a batch is retried while the settings are invalid. Immediate retries would soon be exhausted. */
const RETRY_SECONDS = 60;

/** The cron trigger of the index of transfers, as in wrangler.toml; the other one is of the cleanup job. */
const INDEX_CRON = '* * * * *';

export default {
  fetch(request: Request, env, context) {
    const response = Promise.resolve(app.fetch(request, env, context));
    // A caller who hangs up must not end a request between its steps.
    context.waitUntil(response.then(ignore, ignore));
    return response;
  },
  async queue(batch, env) {
    const services = servicesIfAny(env);
    if (services === undefined) batch.retryAll({ delaySeconds: RETRY_SECONDS });
    else await consume(services, batch);
  },
  async scheduled(controller, env) {
    const services = servicesIfAny(env);
    if (services === undefined) return;
    if (controller.cron === INDEX_CRON) await indexTransfers(services);
    else await cleanUp(services, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;

/**
 * @returns undefined while the settings are invalid, which has then been logged: a thrown error would be logged again.
 */
function servicesIfAny(env: Env): Services | undefined {
  try {
    return servicesOf(env);
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}
