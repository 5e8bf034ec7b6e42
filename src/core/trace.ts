/**
 * The trace that a request belongs to, as in `traceparent` (W3C Trace Context): `<trace-id>-<flags>`, of the flags only
 * whether the caller records it. Its text is stored with what the request orders.
 * @see https://www.w3.org/TR/trace-context/
 */
export type Trace = `${string}-${'00' | '01'}`;

/**
 * Version, trace id, parent id, flags, and what a later version has after them. Neither id is all zeros, and no version
 * is ff.
 */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const ID_LENGTH = 32;
const SAMPLED = 1;

/** The trace of a request. @param traceparent Its header; without a valid one, the request begins a trace. */
export function traceOf(traceparent: string | undefined): Trace {
  const [, version, id, flags = '', more] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (id === undefined || (version === '00' && more !== undefined)) return `${randomHex(ID_LENGTH / 2)}-01`;
  return `${id}-${(Number.parseInt(flags, 16) & SAMPLED) === SAMPLED ? '01' : '00'}`;
}

/** Its id, for log lines. */
export function traceIdOf(trace: Trace): string {
  return trace.slice(0, ID_LENGTH);
}

/** The header `traceparent` of a request that belongs to a trace. Each has a parent id of its own. */
export function traceparentOf(trace: Trace): string {
  return `00-${traceIdOf(trace)}-${randomHex(8)}-${trace.slice(ID_LENGTH + 1)}`;
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
