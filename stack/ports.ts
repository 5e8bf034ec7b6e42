import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The chosen port is not available. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}

/**
 * Below the ports that the system gives to outgoing connections (from 32768 on Linux, from 49152 elsewhere), since any of them could take
 * the port before its server is started.
 */
const PORTS = { first: 11_000, count: 21_000 };
/** The processes of a test run start their servers at the same time; each begins at its own port. */
const PORTS_PER_PROCESS = 200;
let chosen = process.pid * PORTS_PER_PROCESS;

async function listenOnce(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/**
 * Finds a free TCP port on 127.0.0.1. Two callers in one process do not get the same one. Another program may still take it before it is
 * bound, which the caller must handle.
 * @throws {PortInUseError} when none is free.
 */
export async function freePort(): Promise<number> {
  for (let left = PORTS.count; left > 0; left -= 1) {
    const port = PORTS.first + (chosen++ % PORTS.count);
    try {
      await assertPortFree(port);
      return port;
    } catch (error) {
      if (!(error instanceof PortInUseError)) throw error;
    }
  }
  throw new PortInUseError(`No port from ${PORTS.first} to ${PORTS.first + PORTS.count - 1} is free.`);
}

/**
 * Checks that a port is free on 127.0.0.1.
 * @throws {PortInUseError} with a message that names the port and says why it is not available.
 */
export async function assertPortFree(port: number): Promise<void> {
  try {
    await listenOnce(createServer(), port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw new PortInUseError(`Port ${port} is in use by another program.`);
    if (code === 'EACCES') throw new PortInUseError(`Port ${port} may not be used by this user.`);
    throw error;
  }
}
