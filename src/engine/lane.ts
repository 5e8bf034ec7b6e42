import { DurableObject, waitUntil } from 'cloudflare:workers';
import { isAddress } from 'viem';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { Env } from '../platform/env.ts';
import { storeTallies } from '../platform/database/tallies.ts';
import type { LaneRpc } from '../platform/lanes.ts';
import { createLog } from '../core/log.ts';
import { redactionOf } from '../core/redaction.ts';
import { runLane, type RunEnd } from './lane-run.ts';
import { connectLane, type EngineServices, type LaneContext } from './lane-context.ts';
import { LaneMemory } from './lane-memory.ts';
import type { OrderKinds } from './order-kind.ts';
import { Signal } from './signal.ts';
import { isFencedOff } from './store/fence.ts';
import { holdUnfinished } from './store/waiting.ts';
import { laneOf, type WalletLane } from './wallet-lane.ts';

/** If a run is killed, the next one starts after this delay: the platform retries an alarm only a few times. */
const WATCHDOG_MS = 30_000;
/** The delay after a failed run. */
const RETRY_MS = 5_000;

/**
 * Drives one lane; its name is `<chainId>:<lower-case address>`, and `:<region>` if it has one. Its memory may be lost at any time, and several
 * objects may work on one lane (an old deployment's, for example): the database is the source of truth. Its storage
 * only tells a database that was set back.
 */
export abstract class LaneObject extends DurableObject<Env> implements LaneRpc {
  protected abstract readonly kinds: OrderKinds;
  /** @throws {SettingsError} if a setting is missing or malformed. */
  protected abstract services(): EngineServices;
  readonly #wakes = new Signal();
  // Written synchronously: the platform sends nothing of this object before it is on disk.
  readonly #memory = new LaneMemory(Date.now(), {
    read: () => this.ctx.storage.kv.get<number | null>('signedAt'),
    write: (signedAt) => this.ctx.storage.kv.put('signedAt', signedAt),
  });
  #context: LaneContext | undefined;
  /** Whether the alarm was set by a wake-up and has not run since: many orders at once write it once. */
  #isAlarmDue = false;
  #name = this.ctx.storage.kv.get<string>('name');

  async wake(): Promise<void> {
    this.#wakes.raise();
    this.#storeName();
    if (this.#isAlarmDue) return;
    this.#isAlarmDue = true;
    // Never set to the current time: a running alarm handler would miss it.
    try {
      await this.ctx.storage.setAlarm(Date.now() + 1);
    } catch (error) {
      this.#isAlarmDue = false;
      throw error;
    }
  }

  signedAt(): Promise<number | null> {
    return Promise.resolve(this.#memory.signedAt?.getTime() ?? null);
  }

  /** Never throws: a failure schedules a later alarm. */
  override async alarm(): Promise<void> {
    this.#isAlarmDue = false;
    await this.ctx.storage.setAlarm(Date.now() + WATCHDOG_MS);
    let seenWakes = this.#wakes.count;
    let nextAt: EpochMs | null;
    try {
      ({ nextAt, seenWakes } = await this.drive(this.#wakes));
    } catch (error) {
      createLog(redactionOf(this.env), { lane: this.#name }).error('lane.failed', { error });
      nextAt = Date.now() + RETRY_MS;
      if (isFencedOff(error)) {
        // The next instance of the object has the newest code and settings, and none of this one's memory.
        await this.ctx.storage.setAlarm(nextAt);
        this.ctx.abort('The database has another epoch');
      }
    }
    // Compared and set in one turn, so that no wake-up can be lost in between.
    this.#isAlarmDue = this.#wakes.count !== seenWakes;
    if (this.#isAlarmDue) void this.ctx.storage.setAlarm(Date.now() + 1);
    else if (nextAt === null) void this.ctx.storage.deleteAlarm();
    else void this.ctx.storage.setAlarm(Math.max(nextAt, Date.now() + 1));
  }

  /** Drives the lane for a limited time. */
  protected async drive(wakes: Signal): Promise<RunEnd> {
    // The lane's object is elsewhere since `LANE_LOCATION` was changed.
    if (this.#name?.split(':')[2] !== this.env.LANE_LOCATION) return { nextAt: null, seenWakes: wakes.count };
    const services = this.services();
    const lane = laneNamed(this.#name);
    const definition = services.settings.chains.get(lane.chainId);
    if (definition === undefined) {
      await holdUnfinished(services.db, lane, `Chain ${lane.chainId} is not among the service's chains`, new Date());
      return { nextAt: null, seenWakes: wakes.count };
    }
    this.#context ??= { services, kinds: this.kinds, lane, chain: connectLane(definition) };
    try {
      return await runLane(this.#context, this.#memory, wakes);
    } finally {
      waitUntil(storeTallies(services));
    }
  }

  /** Stores the object's name, because it may be missing when an alarm runs. */
  #storeName(): void {
    const { name } = this.ctx.id;
    if (name === undefined || this.#name === name) return;
    this.ctx.storage.kv.put('name', name);
    this.#name = name;
  }
}

function laneNamed(name: string | undefined): WalletLane {
  const [chainId, walletAddress] = (name ?? '').split(':');
  if (chainId === undefined || walletAddress === undefined || !isAddress(walletAddress, { strict: false })) {
    throw new Error(`Not a lane: ${name ?? 'no name'}`);
  }
  return laneOf(chainId, walletAddress);
}
