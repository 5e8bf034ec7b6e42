import { createApp } from './app.ts';
import { consume } from './consumer.ts';
import { cleanUp } from './cron.ts';
import type { Env } from './env.ts';
import { LaneObject } from './engine/lane.ts';
import { orderKinds } from './features/kinds.ts';
import { servicesOf } from './services.ts';

export { NonceKeeper } from './transactions/nonce-keeper.ts';

/** The Durable Object of a lane, with the kinds of order that this service has. */
export class Lane extends LaneObject {
  protected override readonly kinds = orderKinds;
}

const app = createApp();

export default {
  fetch: app.fetch,
  queue: (batch, env) => consume(servicesOf(env), batch),
  scheduled: (controller, env) => cleanUp(servicesOf(env), controller.scheduledTime),
} satisfies ExportedHandler<Env>;
