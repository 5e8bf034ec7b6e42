import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectInspector } from '../../bench/inspector.ts';

/** The inspector of a Worker that already has a session: it accepts another one and ends it at once. */
const server = createServer((request, response) => {
  response.end(JSON.stringify([{ webSocketDebuggerUrl: `ws://${request.headers.host}/ws` }]));
});
server.on('upgrade', (request, socket: Duplex) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const reason = Buffer.from('one session at a time');
  socket.end(Buffer.concat([Buffer.from([0x88, 2 + reason.length, 1_013 >> 8, 1_013 & 0xff]), reason]));
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

it('a command fails when the inspector ends the session, and so do later ones', async () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a TCP port has this kind of address
  const inspector = await connectInspector((server.address() as AddressInfo).port);
  await expect(inspector.command('Runtime.getHeapUsage')).rejects.toThrow('Runtime.getHeapUsage');
  await expect(inspector.command('Runtime.getHeapUsage')).rejects.toThrow('the session has ended');
  inspector.close();
});
