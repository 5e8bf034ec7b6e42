import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The chosen port is not available. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}

async function listenOnce(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server must have a port');
  return address.port;
}

/**
 * Finds a free TCP port on 127.0.0.1. The system hands out such ports in turn, so two callers do not get the same one. Another
 * program may still take it before it is bound, which the caller must handle.
 */
export function freePort(): Promise<number> {
  return listenOnce(createServer(), 0);
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
