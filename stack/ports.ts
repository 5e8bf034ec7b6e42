import { once } from 'node:events';
import { createServer } from 'node:net';

/** The chosen port is not available. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}

/**
 * Below the ports that the system gives to outgoing connections (from 32768 on Linux, from 49152 elsewhere), since any
 * of them could take the port before its server is started.
 */
const PORTS = { first: 11_000, end: 32_000 };
/**
 * The processes of a test run start their servers at the same time, some of them seconds after the port was chosen. So
 * each has a range of ports of its own, and holds the first of them to tell the others.
 */
const RANGE = 200;
let range: Promise<number> | undefined;
let chosen = 0;
const claimed = new Set<number>();

/** Listens on the first port of a range until this process ends. @returns that port. */
async function takeRange(): Promise<number> {
  for (let first = PORTS.first; first < PORTS.end; first += RANGE) {
    if (claimed.has(first)) continue;
    try {
      (await listen(first)).unref();
      return first;
    } catch (error) {
      if (!(error instanceof PortInUseError)) throw error;
    }
  }
  throw new PortInUseError(`Every ${RANGE}th port from ${PORTS.first} to ${PORTS.end - RANGE} is in use.`);
}

/**
 * Finds a free TCP port on 127.0.0.1. While this process runs, no other one gets it from this function; this one gets
 * it again after 198 others. Another program may still take it before it is bound, which the caller must handle.
 * @throws {PortInUseError} when none is free.
 */
export async function freePort(): Promise<number> {
  range ??= takeRange();
  const first = await range;
  for (let left = RANGE - 1; left > 0; left -= 1) {
    const port = first + 1 + (chosen++ % (RANGE - 1));
    if (claimed.has(port)) continue;
    try {
      await assertPortFree(port);
      return port;
    } catch (error) {
      if (!(error instanceof PortInUseError)) throw error;
    }
  }
  throw new PortInUseError(`No port from ${first + 1} to ${first + RANGE - 1} is free.`);
}

async function listen(port: number) {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw new PortInUseError(`Port ${port} is in use by another program.`);
    if (code === 'EACCES') throw new PortInUseError(`Port ${port} may not be used by this user.`);
    throw error;
  }
}

/**
 * Keeps `freePort` in this process from choosing a port on 127.0.0.1 that one of its servers will use.
 * @throws {PortInUseError} when it is not free.
 */
export async function claimPort(port: number): Promise<void> {
  const isNew = !claimed.has(port);
  claimed.add(port);
  try {
    await assertPortFree(port);
  } catch (error) {
    if (isNew) claimed.delete(port);
    throw error;
  }
}

/**
 * Takes ports for servers that are to have the same ones at each start, those from `first` on; for one that is in use,
 * the next free one after them.
 * @param names What is served, in order.
 * @param say Told which port is in use, and which one is taken in its place.
 * @throws {PortInUseError} when none is free.
 */
export async function takePorts(
  first: number,
  names: readonly string[],
  say: (line: string) => void,
): Promise<number[]> {
  let next = first + names.length;
  const ports: number[] = [];
  for (const [index, name] of names.entries()) {
    let port = first + index;
    while (!(await isClaimed(port))) {
      if (next > MAX_PORT) throw new PortInUseError(`No port from ${first} to ${MAX_PORT} is free.`);
      port = next++;
    }
    if (port !== first + index) say(`Port ${first + index} is in use by another program: ${name} has ${port}.`);
    ports.push(port);
  }
  return ports;
}

const MAX_PORT = 65_535;

async function isClaimed(port: number): Promise<boolean> {
  if (claimed.has(port) || port > MAX_PORT) return false;
  try {
    await claimPort(port);
    return true;
  } catch (error) {
    if (error instanceof PortInUseError) return false;
    throw error;
  }
}

/**
 * Checks that a port is free on 127.0.0.1.
 * @throws {PortInUseError} with a message that names the port and says why it is not available.
 */
export async function assertPortFree(port: number): Promise<void> {
  const server = await listen(port);
  server.close();
  await once(server, 'close');
}
