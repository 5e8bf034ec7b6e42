import { DurableObject } from 'cloudflare:workers';
import { createRpcClient } from '../chains/rpc-client.ts';
import { isAddress } from 'viem';
import type { Env } from '../platform/env.ts';
import type { LaneRpc } from '../platform/lane-rpc.ts';
import { createLog } from '../core/log.ts';
import { redactionOf } from '../core/redaction.ts';
import { servicesOf } from '../services.ts';
import { newMemory } from './lane-state.ts';
import type { LaneMemory } from './lane-state.ts';
import { runLane } from './lane-run.ts';
import type { RunEnd } from './lane-run.ts';
import type { LaneContext } from './lane-context.ts';
import type { OrderKinds } from './order-kind.ts';
import { Signal } from './signal.ts';
import { laneOf } from './wallet-lane.ts';

/** If a run is killed, the next one begins after this: the platform's own retries are few. */
const DEAD_MANS_MS = 30_000;
/** After a run that failed. */
const FAILED_MS = 5_000;
const RPC_TIMEOUT_MS = 5_000;

/**
 * Drives one lane; its name is `<chainId>:<lower-case address>`. Whatever it has in memory may be lost at any time, and any number of such objects may be at work on one lane
 * (an old deployment's, say): the database says what is so. The Worker's entry hands it the kinds.
 */
export abstract class LaneObject extends DurableObject<Env> implements LaneRpc {
  protected abstract readonly kinds: OrderKinds;
  readonly #wakes = new Signal();
  #memory: LaneMemory = newMemory(Date.now());
  #context: LaneContext | undefined;
  #name = this.ctx.storage.kv.get<string>('name');

  async wake(): Promise<void> {
    this.#wakes.give();
    this.#keepName();
    // Always, and never to this very moment: an alarm that is already at work will not see it otherwise.
    await this.ctx.storage.setAlarm(Date.now() + 1);
  }

  /** Never throws: a failure is answered with a later alarm. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + DEAD_MANS_MS);
    let seenWakes = this.#wakes.count;
    let nextAt: number | null;
    try {
      ({ nextAt, seenWakes } = await this.drive(this.#wakes));
    } catch (error) {
      createLog(redactionOf(this.env), { lane: this.#name }).error('lane.failed', { error });
      nextAt = Date.now() + FAILED_MS;
    }
    // Compared and set in one turn: a wake-up cannot come in between and be lost.
    if (this.#wakes.count !== seenWakes) void this.ctx.storage.setAlarm(Date.now() + 1);
    else if (nextAt === null) void this.ctx.storage.deleteAlarm();
    else void this.ctx.storage.setAlarm(Math.max(nextAt, Date.now() + 1));
  }

  /** Works for a while. */
  protected async drive(wakes: Signal): Promise<RunEnd> {
    return await runLane(this.#contextOf(), this.#memory, wakes);
  }

  /** An alarm may come without the name that a caller gave. */
  #keepName(): void {
    const { name } = this.ctx.id;
    if (name === undefined || this.#name === name) return;
    this.ctx.storage.kv.put('name', name);
    this.#name = name;
  }

  #contextOf(): LaneContext {
    if (this.#context !== undefined) return this.#context;
    const services = servicesOf(this.env);
    const [chainId, walletAddress] = (this.#name ?? '').split(':');
    const definition = chainId === undefined ? undefined : services.settings.chains.get(chainId);
    if (
      chainId === undefined ||
      walletAddress === undefined ||
      definition === undefined ||
      !isAddress(walletAddress, { strict: false })
    ) {
      throw new Error(`No lane has the name ${this.#name ?? ''}, or its chain is not allowed`);
    }
    const rpc = createRpcClient(definition.rpcUrls, { batchSize: definition.rpcBatch, timeoutMs: RPC_TIMEOUT_MS });
    this.#context = {
      services,
      kinds: this.kinds,
      lane: laneOf(chainId, walletAddress),
      chain: { ...definition, rpc },
    };
    return this.#context;
  }
}
