import { DurableObject } from 'cloudflare:workers';
import type { OrderKinds } from './order-kind.ts';
import type { LaneDriver } from './wallet-lane.ts';

/** Drives one lane; its name is `<chainId>:<lower-case address>`. The Worker's entry hands it the kinds. */
export abstract class LaneObject extends DurableObject implements LaneDriver {
  protected abstract readonly kinds: OrderKinds;

  /** Has the driver work; cheap, idempotent and durable. */
  async wake(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + 1);
  }

  override async alarm(): Promise<void> {}
}
