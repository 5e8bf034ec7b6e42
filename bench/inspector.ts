import { z } from 'zod';

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const reply = z.object({ id: z.number().optional(), result: z.unknown().optional(), error: z.unknown().optional() });

/** A session with the inspector of the Worker, by the Chrome DevTools Protocol. */
export interface Inspector {
  /** Sends a command, such as `Profiler.start`. @returns its result. @throws when the inspector refuses it. */
  command(method: string, params?: object): Promise<unknown>;
  close(): void;
}

/**
 * Connects to the inspector of the Worker.
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
  const waiting = new Map<number, (message: z.infer<typeof reply>) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = reply.parse(JSON.parse(String(data)));
    if (message.id === undefined) return;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let lastId = 0;
  return {
    async command(method, params = {}) {
      lastId += 1;
      const id = lastId;
      const answer = new Promise<z.infer<typeof reply>>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify({ id, method, params }));
      const { result, error } = await answer;
      if (error !== undefined) throw new Error(`The inspector refuses ${method}: ${JSON.stringify(error)}`);
      return result;
    },
    close: () => socket.close(),
  };
}
