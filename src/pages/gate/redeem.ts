import { ApiError, ServiceApi } from '../shared/service-api.ts';

/** What the gate says of a ticket. */
export type Verdict =
  /** This gate has used the ticket: let the visitor in. */
  | { readonly kind: 'open' }
  /** The ticket does not open the gate. */
  | { readonly kind: 'stop'; readonly reason: string }
  /** There was no reply, so that nobody knows. The same ticket, shown again, is decided then. */
  | { readonly kind: 'undecided' };

const ATTEMPTS = 20;
const TIMEOUT_MS = 5_000;
const PAUSE_MS = 1_000;
const CHANGE = { status: 'Used', expected: 'Unused' };

/** The API with the key of a gate, which the tab keeps apart from that of the portal. */
export const gateApi = new ServiceApi('gate-key', 'x-api-key');

const pathOf = (code: string) => `/metadata/${encodeURIComponent(code)}/status`;

/** Throws if the key is not accepted or must not set statuses. It asks for a ticket that nobody has. */
export async function tryGateKey(): Promise<void> {
  try {
    await gateApi.post(pathOf('0'.repeat(24)), CHANGE);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
  }
}

/**
 * Uses a ticket once. Without a reply it is sent again, up to 20 times, with the Idempotency-Key of its first scan,
 * which is kept until the ticket is decided: a use whose reply was lost is not a second one.
 * @param onSilence Called when a reply is missing, before the next attempt.
 */
export async function redeem(code: string, onSilence: () => void): Promise<Verdict> {
  const stored = `scan:${code}`;
  const scan = sessionStorage.getItem(stored) ?? crypto.randomUUID();
  sessionStorage.setItem(stored, scan);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const verdict = await ask(code, scan);
    if (verdict !== undefined) {
      sessionStorage.removeItem(stored);
      return verdict;
    }
    onSilence();
    if (attempt < ATTEMPTS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { kind: 'undecided' };
}

/** @returns undefined if the service does not say: no reply, too many requests, or an error of its own. */
async function ask(code: string, scan: string): Promise<Verdict | undefined> {
  try {
    const reply = await gateApi.request(pathOf(code), {
      method: 'POST',
      body: CHANGE,
      headers: { 'idempotency-key': scan },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (reply.status >= 500 || reply.status === 429) return undefined;
    const body: unknown = await reply.json();
    return reply.ok ? { kind: 'open' } : { kind: 'stop', reason: reasonOf(reply.status, body) };
  } catch {
    // No connection, or no JSON: something on the way may have replied.
    return undefined;
  }
}

function reasonOf(status: number, body: unknown): string {
  const { currentStatus, message } = { currentStatus: undefined, message: undefined, ...Object(body) };
  if (status === 400) return 'This is not the code of a ticket';
  if (status === 404) return 'There is no such ticket';
  return typeof currentStatus === 'string' ? `The ticket is ${currentStatus}` : String(message);
}
