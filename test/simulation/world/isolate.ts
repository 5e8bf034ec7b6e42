import type { Boundary, Caller } from './boundary.ts';
import type { Bundle } from './bundle.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import { runtimeGlobals } from './runtime-globals.ts';

/** The platform's base class of Durable Objects. */
class DurableObject {
  readonly ctx: unknown;
  readonly env: unknown;
  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The platform's tracing of a request that it does not trace. */
const NO_TRACING = { getActiveSpan: () => undefined };

/** The Worker's handlers. */
interface WorkerEntry {
  fetch(request: Request, env: object, ctx: object): Promise<Response>;
  queue(batch: object, env: object, ctx: object): Promise<void>;
  scheduled(controller: object, env: object, ctx: object): Promise<void>;
}

/** A runtime isolate with its own module state, which can be killed at any moment. */
export class Isolate implements Caller {
  readonly name: string;
  /** By how many milliseconds its clock is fast. */
  readonly clockMs: number;
  readonly env: object;
  readonly #exports: Record<string, unknown>;
  readonly #endListeners: (() => void)[] = [];
  #isAlive = true;
  #pausedUntil = 0;

  constructor(
    name: string,
    bundle: Bundle,
    world: {
      readonly boundary: Boundary;
      readonly network: Network;
      readonly random: Random;
      readonly clockOf: (isolate: string) => number;
      /** The Worker's bindings and settings. */
      readonly envOf: (isolate: Isolate) => object;
    },
  ) {
    this.name = name;
    this.clockMs = world.clockOf(name);
    this.env = world.envOf(this);
    const globals = runtimeGlobals(this, world.boundary, world.network, world.random.fork(name));
    this.#exports = bundle(globals, { DurableObject, waitUntil: () => {}, tracing: NO_TRACING, env: this.env });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  pause(until: number): void {
    this.#pausedUntil = until;
  }

  die(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    for (const listener of this.#endListeners) listener();
  }

  /** Registers a callback for its end. */
  whenDead(act: () => void): void {
    this.#endListeners.push(act);
  }

  get entry(): WorkerEntry {
    return this.#exports['default'] as WorkerEntry;
  }

  /** What its module exports. */
  get exports(): Readonly<Record<string, unknown>> {
    return this.#exports;
  }

  /** A Durable Object class that the Worker exports. */
  objectClass(name: string): new (ctx: object, env: object) => Record<string, (...parameters: unknown[]) => unknown> {
    return this.#exports[name] as never;
  }
}
