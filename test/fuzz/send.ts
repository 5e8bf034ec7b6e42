import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { WireRequest } from './wire-fault.ts';

export interface WireReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The connection ended, or time was up, before a whole reply. */
export class NoReply extends Error {
  override readonly name = 'NoReply';
}

const TIMEOUT_MS = 60_000;

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a request as it is. @throws when there is no reply. */
export function send(baseUrl: string, { method, path, headers, body }: WireRequest): Promise<WireReply> {
  const { hostname, port, host } = new URL(baseUrl);
  const length: (readonly [string, string])[] = body === undefined ? [] : [['content-length', String(body.length)]];
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new NoReply(`${method} ${path.slice(0, 100)}: ${error.message}`, { cause: error }));
    const request = httpRequest({
      agent,
      host: hostname,
      port,
      method,
      path,
      headers: [['host', host], ...headers, ...length].flat(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', failed);
    });
    request.on('error', failed);
    request.end(body);
  });
}

/** A command that sends the request again. A long body is cut. */
export function asCurl(baseUrl: string, { method, path, headers, body }: WireRequest): string {
  const text = body === undefined ? undefined : Buffer.from(body).toString('latin1');
  const data =
    text === undefined
      ? ''
      : /^[\x20-\x7e]*$/.test(text)
        ? quoted(text.slice(0, 2_000))
        : `$'${escaped(text.slice(0, 2_000))}'`;
  return [
    `curl -sS -i --path-as-is -X ${method} ${quoted(baseUrl + path)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value.slice(0, 300)}`)}`),
    ...(text === undefined
      ? []
      : [`--data-binary ${data}${text.length > 2_000 ? ` # and ${text.length - 2_000} bytes more` : ''}`]),
  ].join(' ');
}

/** An argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function escaped(latin1: string): string {
  return latin1.replaceAll(
    /[^\x20-\x7e]|['\\]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
