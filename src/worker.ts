import { createApp } from './app.ts';
import { consume } from './consumer.ts';
import { cleanUp } from './cron.ts';
import type { Env } from './env.ts';
import { servicesOf } from './services.ts';

export { NonceKeeper } from './transactions/nonce-keeper.ts';

const app = createApp();

export default {
  fetch: app.fetch,
  queue: (batch, env) => consume(servicesOf(env), batch),
  scheduled: (controller, env) => cleanUp(servicesOf(env), controller.scheduledTime),
} satisfies ExportedHandler<Env>;
