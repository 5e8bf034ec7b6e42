import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A port that was chosen cannot be had. */
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
 * A TCP port of 127.0.0.1 that no one listens on. The system hands such ports out in turn, so two callers do not get the same one;
 * even so, another program may take it before it is used: who binds it must be ready for that.
 */
export function freePort(): Promise<number> {
  return listenOnce(createServer(), 0);
}

/**
 * Checks that a port that the user chose is free on 127.0.0.1.
 * @throws {PortInUseError} whose message says which one it is, and why it cannot be used.
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
