import { CannotTell } from './cannot-tell.ts';

/** How long a server may take, in milliseconds. */
const TIMEOUT_MS = 20_000;
/** Certificates are far smaller, and so is whatever a node says about one. */
const MAX_BYTES = 1_024 * 1_024;

/** A server's status is not 2xx. */
export class UnexpectedStatus extends CannotTell {
  readonly status: number;

  constructor(status: number) {
    super(({ reasons }) => reasons.status(status));
    this.status = status;
  }
}

/**
 * Fetches without credentials and reads at most {@link MAX_BYTES}, whatever the server says of the length.
 * @throws {UnexpectedStatus}; {CannotTell} for a body that is too long; whatever `fetch` throws.
 */
export async function fetchBytes(
  url: string,
  init: RequestInit = {},
  timeoutMs = TIMEOUT_MS,
): Promise<Uint8Array<ArrayBuffer>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const reply = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', ...init, signal });
  if (!reply.ok) throw new UnexpectedStatus(reply.status);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = reply.body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    length += part.value.length;
    if (length > MAX_BYTES) {
      await reader?.cancel();
      throw new CannotTell(({ reasons }) => reasons.tooLong(MAX_BYTES / 1_024));
    }
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @throws {CannotTell} when the bytes are not UTF-8. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CannotTell(({ reasons }) => reasons.notUtf8);
  }
}
