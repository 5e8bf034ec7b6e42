import { createApp } from './app.ts';
import { consume } from './consumer.ts';
import { cleanUp } from './cron.ts';
import { SettingsError } from './platform/env.ts';
import type { Env } from './platform/env.ts';
import { servicesOf } from './services.ts';
import type { Services } from './services.ts';

export { NonceKeeper } from './transactions/nonce-keeper.ts';

const app = createApp();

/** While the settings are faulty, a batch comes again after so long: at once, its retries would soon be used up. */
const PAUSE_SECONDS = 60;

export default {
  fetch: app.fetch,
  async queue(batch, env) {
    const services = servicesIfAny(env);
    if (services === undefined) batch.retryAll({ delaySeconds: PAUSE_SECONDS });
    else await consume(services, batch);
  },
  async scheduled(controller, env) {
    const services = servicesIfAny(env);
    if (services !== undefined) await cleanUp(services, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;

/** @returns undefined while the settings are faulty: the log says so, and the platform need not log an exception too. */
function servicesIfAny(env: Env): Services | undefined {
  try {
    return servicesOf(env);
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}
