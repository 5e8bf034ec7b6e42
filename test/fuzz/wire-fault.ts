import { deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';

/** A request as it is sent. */
export interface WireRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** A name may stand there more than once. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
}

/** What is wrong with a request outside of its values. */
export type WireFault =
  | { readonly type: 'method'; readonly method: string }
  | { readonly type: 'path'; readonly how: 'append' | 'prepend'; readonly text: string }
  | { readonly type: 'query'; readonly text: string }
  | { readonly type: 'header'; readonly name: string; readonly value: string }
  | { readonly type: 'without'; readonly name: string }
  | { readonly type: 'twice'; readonly name: string; readonly value: string }
  | BodyFault;

/** What is wrong with the bytes of a body. */
interface BodyFault {
  readonly type: 'body';
  readonly how: BodyFaultKind;
  /** The number of the text that it is in, modulo how many there are. */
  readonly place: number;
}

type BodyFaultKind = (typeof BODY_FAULTS)[number];

/** Those that the runtime knows: it refuses others itself. */
const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'GET', 'POST', 'PROPFIND', 'SEARCH', 'PURGE'];
const APPENDED = [
  '/',
  '//',
  '/.',
  '/..',
  '%00',
  '%',
  '%zz',
  '%2e%2e',
  '%2F',
  '%c0%af',
  '%ed%a0%80',
  ';a=b',
  '.json',
  '/__proto__',
  `/${'a'.repeat(6_000)}`,
  '%E2%80%AE',
];
const PREPENDED = ['/', '//', '/.', '/..%2f', '/%2e', '/v1', '/API', '/%00'];
const QUERIES = [
  'a',
  '=',
  '&&&==',
  '%',
  '%zz',
  '%ff',
  'a[b]=c',
  '__proto__=1',
  'constructor[prototype]=1',
  'limit=1&limit=2',
  'limit=1&limit=abc',
  'cursor=&cursor=',
  'blockchains[]=mainnet&blockchains=testnet',
  'limit=1e9',
  'limit=%00',
  `q=${'a'.repeat(6_000)}`,
  'offset=99999999999999999999',
  'createdFrom=+',
  'tokenId=1&tokenId=2',
  Array.from({ length: 300 }, (_, index) => `a${index}=1`).join('&'),
];
const HEADERS: readonly (readonly [string, string])[] = [
  ['Accept', 'text/xml'],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'APPLICATION/JSON'],
  ['Content-Type', 'application/json;'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', 'multipart/form-data; boundary='],
  ['Content-Type', 'multipart/form-data; boundary=a'],
  ['Content-Type', ';'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'br'],
  ['X-Request-Id', 'a'.repeat(65)],
  ['X-Request-Id', '../../etc; <script>'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '127.0.0.1, ::1'],
  ['CF-Connecting-IP', 'nonsense'],
  ['CF-Connecting-IP', '::1'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'a b'],
  ['Idempotency-Key', 'a'.repeat(256)],
  ['Idempotency-Key', '\u00e9'],
  ['If-None-Match', '*'],
  ['If-None-Match', 'W/"'],
  ['Range', 'bytes=0-0'],
  ['Origin', 'null'],
  ['X-Odd', 'a'.repeat(8_000)],
  ['Cookie', 'a=b; __proto__=c'],
];
const CREDENTIALS = ['x-api-key', 'x-corporate-id', 'x-admin-secret-key'] as const;
const CREDENTIAL_VALUES = [
  '',
  ' ',
  'wrong',
  '\u00ff',
  `key_live_${'0'.repeat(64)}`,
  'a'.repeat(5_000),
  '__proto__',
  "' or 1=1 --",
];
const BODY_FAULTS = [
  'empty',
  'truncated',
  'gzip',
  'deflate',
  'utf16',
  'latin1',
  'invalid UTF-8',
  'byte order mark',
  'deep',
  'trailing',
  'NUL',
  'over every limit',
] as const;
/** Over the limits of all operations. */
const LONG_BYTES = 600_000;

/** Those that a decoder must refuse come more often: it could replace the bytes instead. */
export const bodyFault: fc.Arbitrary<BodyFault> = fc
  .record({
    how: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...BODY_FAULTS) },
      { weight: 2, arbitrary: fc.constantFrom('latin1' as const, 'invalid UTF-8' as const) },
    ),
    place: fc.nat(),
  })
  .map((given) => ({ type: 'body' as const, ...given }));

export const wireFault: fc.Arbitrary<WireFault> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...METHODS).map((method) => ({ type: 'method' as const, method })) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.constantFrom(...APPENDED).map((text) => ({ type: 'path' as const, how: 'append' as const, text })),
      fc.constantFrom(...PREPENDED).map((text) => ({ type: 'path' as const, how: 'prepend' as const, text })),
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom(...QUERIES).map((text) => ({ type: 'query' as const, text })) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...HEADERS).map(([name, value]) => ({ type: 'header' as const, name, value })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...CREDENTIALS, 'content-type').map((name) => ({ type: 'without' as const, name })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        name: fc.constantFrom(...CREDENTIALS),
        value: fc.constantFrom(...CREDENTIAL_VALUES),
        isTwice: fc.boolean(),
      })
      .map(({ name, value, isTwice }) => ({ type: isTwice ? ('twice' as const) : ('header' as const), name, value })),
  },
  { weight: 5, arbitrary: bodyFault },
);

/** @returns the request with the fault. */
export function applyFault(request: WireRequest, fault: WireFault): WireRequest {
  const { path, headers, body } = request;
  const others = (name: string) => headers.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
  switch (fault.type) {
    case 'method':
      return { ...request, method: fault.method };
    case 'path': {
      const [pathname = '', ...query] = path.split('?');
      const changed = fault.how === 'append' ? pathname + fault.text : fault.text + pathname;
      return { ...request, path: [changed, ...query].join('?') };
    }
    case 'query':
      return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}${fault.text}` };
    case 'header':
      return { ...request, headers: [...others(fault.name), [fault.name, fault.value]] };
    case 'without':
      return { ...request, headers: others(fault.name) };
    case 'twice':
      return { ...request, headers: [...headers, [fault.name, fault.value]] };
    case 'body':
      return body === undefined ? request : withBody(request, body, fault);
    default:
      return fault satisfies never;
  }
}

function withBody(request: WireRequest, body: Uint8Array, { how, place }: BodyFault): WireRequest {
  const text = () => Buffer.from(body).toString('utf8');
  const encoded = (name: string, bytes: Uint8Array): WireRequest => ({
    ...request,
    headers: [...request.headers, ['Content-Encoding', name]],
    body: bytes,
  });
  const bodies: Readonly<Record<BodyFaultKind, () => WireRequest>> = {
    empty: () => ({ ...request, body: new Uint8Array() }),
    truncated: () => ({ ...request, body: body.subarray(0, Math.floor(body.length / 2)) }),
    gzip: () => encoded('gzip', gzipSync(body)),
    deflate: () => encoded('deflate', deflateSync(body)),
    utf16: () => ({ ...request, body: Buffer.from(text(), 'utf16le') }),
    latin1: () => ({ ...request, body: withinText(body, place, Buffer.from('\u00e9', 'latin1')) }),
    'invalid UTF-8': () => ({ ...request, body: withinText(body, place, Buffer.from([0xff, 0xc0, 0x80])) }),
    'byte order mark': () => ({ ...request, body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]) }),
    deep: () => ({ ...request, body: Buffer.from('['.repeat(60_000)) }),
    trailing: () => ({ ...request, body: Buffer.concat([body, Buffer.from('{}')]) }),
    NUL: () => ({ ...request, body: Buffer.concat([body, Buffer.from([0])]) }),
    'over every limit': () => ({ ...request, body: Buffer.concat([body, Buffer.alloc(LONG_BYTES, ' ')]) }),
  };
  return bodies[how]();
}

/** Bytes at the end of one of the body's texts, so that all around them stays JSON; after the body if it has none. */
function withinText(body: Uint8Array, place: number, bytes: Uint8Array): Uint8Array {
  // One character for each byte.
  const ends = Array.from(
    Buffer.from(body)
      .toString('latin1')
      .matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g),
    ({ 0: text, index }) => index + text.length - 1,
  );
  const at = ends[place % Math.max(1, ends.length)] ?? body.length;
  return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
}
