import type { Boundary, Caller } from './boundary.ts';
import type { Service } from './faults.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WireReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Host {
  readonly service: Service;
  /** How long it works on a request, in milliseconds, while others are answered; absent or undefined: no time. */
  readonly lastsMs?: number | undefined;
  /** Describes a request in the trace. */
  label(request: WireRequest): string;
  answer(request: WireRequest, from: Caller): WireReply | Promise<WireReply>;
}

const OUT_OF_ORDER = [500, 502, 503, 504, 429] as const;

/** The hosts that a Worker can reach by `fetch`. A name that is not one of them is an error of the simulation. */
export class Network {
  readonly #boundary: Boundary;
  readonly #hosts = new Map<string, Host>();
  #refusals = 0;

  constructor(boundary: Boundary) {
    this.#boundary = boundary;
  }

  add(hostname: string, host: Host): void {
    this.#hosts.set(hostname, host);
  }

  async fetch(from: Caller, input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const request = await wireRequestOf(input, init);
    const host = this.#hosts.get(request.url.hostname);
    if (host === undefined) throw new TypeError(`The world has no host ${request.url.hostname}`);
    const reply = await this.#boundary.cross<WireReply>({
      from,
      service: host.service,
      label: host.label(request),
      effect: () => host.answer(request, from),
      lastsMs: host.lastsMs,
      broken: () => new TypeError('Network connection lost.'),
      refused: () => {
        this.#refusals += 1;
        // A 429 of a webhook would be a response of the customer.
        const status = host.service === 'webhook' ? 503 : (OUT_OF_ORDER[this.#refusals % OUT_OF_ORDER.length] ?? 500);
        return { status, body: '<html>out of order</html>', headers: { 'content-type': 'text/html' } };
      },
      // For a webhook, any 2xx response is valid.
      ...(host.service === 'webhook' ? {} : { nonsense: () => ({ status: 200, body: '{"jsonrpc":' }) }),
      signal: init.signal ?? (input instanceof Request ? input.signal : undefined),
    });
    // A reply of these statuses may have no body.
    const body = [204, 304].includes(reply.status) ? null : reply.body;
    return new Response(body, { status: reply.status, headers: { ...reply.headers } });
  }
}

async function wireRequestOf(input: string | URL | Request, init: RequestInit): Promise<WireRequest> {
  const base = input instanceof Request ? input : undefined;
  const headers: Record<string, string> = Object.fromEntries(new Headers(init.headers ?? base?.headers).entries());
  return {
    method: init.method ?? base?.method ?? 'GET',
    url: new URL(input instanceof Request ? input.url : input),
    headers,
    body: init.body === undefined || init.body === null ? ((await base?.text()) ?? '') : textOf(init.body),
  };
}

function textOf(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new TypeError('The world carries text bodies only');
}
