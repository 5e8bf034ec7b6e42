import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Boundary, Caller } from './boundary.ts';
import type { RuntimeGlobals } from './bundle.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { Cancel, Scheduler } from './scheduler.ts';

/** The globals of one isolate, with simulated time, randomness and network. */
export function runtimeGlobals(
  owner: Caller & { readonly clockMs: number },
  boundary: Boundary,
  network: Network,
  random: Random,
): RuntimeGlobals {
  const { scheduler, trace } = boundary;
  const timers = createTimers(owner, scheduler);
  const own: Omit<RuntimeGlobals, 'globalThis' | 'self'> = {
    Date: dateOf(scheduler, owner.clockMs),
    Math: Object.defineProperties(
      {},
      { ...Object.getOwnPropertyDescriptors(Math), random: valueOf(() => random.fraction()) },
    ),
    crypto: cryptoOf(random),
    performance: { now: () => scheduler.now(), timeOrigin: 0 },
    scheduler: { wait: timers.wait },
    fetch: (input: string | URL | Request, init?: RequestInit) => network.fetch(owner, input, init),
    AbortSignal: abortSignalOf(owner, scheduler),
    console: consoleOf((line) => trace.add(`${owner.name} log: ${line}`)),
    caches: { default: createCache() },
    navigator: { userAgent: 'Cloudflare-Workers' },
    setTimeout: timers.setTimeout,
    clearTimeout: timers.clearTimeout,
    setInterval: notThere('setInterval'),
    clearInterval: notThere('clearInterval'),
    setImmediate: notThere('setImmediate'),
    process: undefined,
    WebSocket: undefined,
  };
  const scope: Record<string, unknown> = Object.create(globalThis) as Record<string, unknown>;
  Object.defineProperties(
    scope,
    Object.fromEntries(
      Object.entries({ ...own, globalThis: scope, self: scope }).map(([key, value]) => [key, valueOf(value)]),
    ),
  );
  return { ...own, globalThis: scope, self: scope };
}

function valueOf(value: unknown): PropertyDescriptor {
  return { value, configurable: true, writable: true };
}

function notThere(name: string) {
  return () => {
    throw new Error(`Not simulated: ${name}`);
  };
}

/** Acts now, or when the owner resumes. */
function whenAwake(owner: Caller, scheduler: Scheduler, act: () => void): void {
  if (owner.pausedUntil > scheduler.now()) scheduler.at(owner.pausedUntil, act);
  else act();
}

function createTimers(owner: Caller, scheduler: Scheduler) {
  const running = new Map<number, Cancel>();
  let count = 0;
  const setTimeout = (callback: (...rest: unknown[]) => void, milliseconds = 0, ...rest: unknown[]) => {
    count += 1;
    const id = count;
    running.set(
      id,
      scheduler.after(milliseconds, () =>
        whenAwake(owner, scheduler, () => {
          if (running.delete(id) && owner.isAlive) callback(...rest);
        }),
      ),
    );
    return id;
  };
  const clearTimeout = (id: number | undefined) => {
    if (id === undefined) return;
    running.get(id)?.();
    running.delete(id);
  };
  const wait = (milliseconds: number, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const id = setTimeout(() => resolve(), milliseconds);
      signal?.addEventListener('abort', () => {
        clearTimeout(id);
        reject(signal.reason);
      });
      return undefined;
    });
  return { setTimeout, clearTimeout, wait };
}

/** @param aheadMs By how much the clock is fast. */
function dateOf(scheduler: Scheduler, aheadMs: number): DateConstructor {
  return class extends Date {
    constructor(...parameters: ConstructorParameters<DateConstructor> | []) {
      if (parameters.length === 0) super(Math.floor(scheduler.now() + aheadMs));
      else super(...(parameters as [number]));
    }

    static override now(): number {
      return Math.floor(scheduler.readClock() + aheadMs);
    }
  } as DateConstructor;
}

function abortSignalOf(owner: Caller, scheduler: Scheduler): typeof AbortSignal {
  const timeout = (milliseconds: number) => {
    const controller = new AbortController();
    scheduler.after(milliseconds, () =>
      whenAwake(owner, scheduler, () => {
        if (owner.isAlive) controller.abort(new DOMException('The operation timed out', 'TimeoutError'));
      }),
    );
    return controller.signal;
  };
  return new Proxy(AbortSignal, {
    get: (target, key) => (key === 'timeout' ? timeout : key === 'any' ? anyOf : (Reflect.get(target, key) as unknown)),
  });
}

/** Node keeps the signals that its own `any` makes, and all that they lead to, for as long as they have a listener. */
function anyOf(signals: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', () => controller.abort(signal.reason));
  }
  return controller.signal;
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

function bufferOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

interface GcmParameters {
  readonly iv: ArrayBuffer | ArrayBufferView;
  readonly additionalData: ArrayBuffer | ArrayBufferView;
}

const GCM_TAG_BYTES = 16;

/** As Web Crypto does: the ciphertext, and then the tag. */
export function encryptGcm(key: Uint8Array, iv: Uint8Array, additionalData: Uint8Array, data: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(additionalData);
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
}

/** Node's Web Crypto runs on other threads, whose timing does not follow from the seed. */
function cryptoOf(random: Random) {
  return {
    getRandomValues<View extends ArrayBufferView>(view: View): View {
      random.fillBytes(bytesOf(view));
      return view;
    },
    randomUUID(): string {
      const hex = random.hex(16).slice(2);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    subtle: {
      async digest(algorithm: string, data: ArrayBuffer | ArrayBufferView) {
        if (algorithm !== 'SHA-256') throw new Error(`Not simulated: digest ${algorithm}`);
        return bufferOf(createHash('sha256').update(bytesOf(data)).digest());
      },
      async importKey(_format: 'raw', key: ArrayBuffer | ArrayBufferView) {
        return bytesOf(key);
      },
      async sign(_algorithm: 'HMAC', key: Uint8Array, data: ArrayBuffer | ArrayBufferView) {
        return bufferOf(createHmac('sha256', key).update(bytesOf(data)).digest());
      },
      async encrypt({ iv, additionalData }: GcmParameters, key: Uint8Array, data: ArrayBuffer | ArrayBufferView) {
        return bufferOf(encryptGcm(key, bytesOf(iv), bytesOf(additionalData), bytesOf(data)));
      },
      async decrypt({ iv, additionalData }: GcmParameters, key: Uint8Array, data: ArrayBuffer | ArrayBufferView) {
        const bytes = bytesOf(data);
        const decipher = createDecipheriv('aes-256-gcm', key, bytesOf(iv)).setAAD(bytesOf(additionalData));
        decipher.setAuthTag(bytes.subarray(-GCM_TAG_BYTES));
        return bufferOf(Buffer.concat([decipher.update(bytes.subarray(0, -GCM_TAG_BYTES)), decipher.final()]));
      },
      timingSafeEqual: (a: ArrayBuffer | ArrayBufferView, b: ArrayBuffer | ArrayBufferView) =>
        timingSafeEqual(bytesOf(a), bytesOf(b)),
    },
  };
}

/** @param write Receives the level, the event and the subject of each line. */
function consoleOf(write: (line: string) => void) {
  const print = (level: string) => (text: unknown) => {
    let fields: Record<string, unknown>;
    try {
      fields = JSON.parse(String(text)) as Record<string, unknown>;
    } catch {
      fields = { event: String(text) };
    }
    const { event, time: _time, level: _level, requestId: _id, milliseconds: _ms, ...rest } = fields;
    write(`${level} ${String(event)} ${JSON.stringify(rest, withoutStacks).slice(0, 600)}`);
  };
  return { log: print('info'), info: print('info'), warn: print('warn'), error: print('error'), debug: print('debug') };
}

/** Removes stacks, which contain local paths. */
function withoutStacks(key: string, value: unknown): unknown {
  return key === 'stack' ? undefined : value;
}

function keyOf(request: string | URL | Request): string {
  return request instanceof Request ? request.url : String(request);
}

function createCache() {
  const kept = new Map<string, { body: string; status: number; headers: [string, string][] }>();
  return {
    async match(request: string | URL | Request): Promise<Response | undefined> {
      const found = kept.get(keyOf(request));
      return found && new Response(found.body, { status: found.status, headers: found.headers });
    },
    async put(request: string | URL | Request, reply: Response): Promise<void> {
      kept.set(keyOf(request), {
        body: await reply.text(),
        status: reply.status,
        headers: [...reply.headers.entries()],
      });
    },
    delete: async (request: string | URL | Request) => kept.delete(keyOf(request)),
  };
}
