import { z } from 'zod';

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const reply = z.object({ id: z.number().optional(), result: z.unknown().optional(), error: z.unknown().optional() });

/** How long a command may take: a busy isolate takes it only between two requests. */
const TIMEOUT_MS = 120_000;

/** A session with the inspector of the Worker, by the Chrome DevTools Protocol. */
export interface Inspector {
  /**
   * Sends a command, such as `Profiler.start`. @returns its result.
   * @throws when the inspector refuses it or does not answer, or the session has ended.
   */
  command(method: string, params?: object): Promise<unknown>;
  close(): void;
}

/**
 * Connects to the inspector of the Worker, which takes one session at a time.
 * @param port On 127.0.0.1.
 * @throws when the inspector cannot be reached.
 */
export async function connectInspector(port: number): Promise<Inspector> {
  const response = await fetch(`http://127.0.0.1:${port}/json`);
  const [target] = targets.parse(await response.json());
  if (target === undefined) throw new Error('The inspector lists no Worker');
  // The inspector requires the origin of a page on this machine.
  const socket = new WebSocket(target.webSocketDebuggerUrl, { headers: { Origin: 'http://localhost' } });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached')), { once: true });
  });
  return new Session(socket);
}

class Session implements Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error } = reply.parse(JSON.parse(String(data)));
      const waiting = id === undefined ? undefined : this.#waiting.get(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(JSON.stringify(error)));
    });
    socket.addEventListener('close', ({ code, reason }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the session has ended: ${code} ${reason}`));
    });
  }

  async command(method: string, params = {}): Promise<unknown> {
    if (this.#socket.readyState !== WebSocket.OPEN) throw new Error(`${method}: the session has ended`);
    this.#lastId += 1;
    const id = this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(() => waiting.reject(new Error('the inspector does not answer')), TIMEOUT_MS);
    this.#socket.send(JSON.stringify({ id, method, params }));
    try {
      return await waiting.promise;
    } catch (error) {
      throw new Error(`${method} fails`, { cause: error });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#socket.close();
  }
}
