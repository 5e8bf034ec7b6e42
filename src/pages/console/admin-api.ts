const KEY = 'admin-key';

/** The admin key, which lives as long as the tab. */
export const adminKey = {
  get: (): string | null => sessionStorage.getItem(KEY),
  set: (value: string): void => sessionStorage.setItem(KEY, value),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** The service answered with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Reads a route of the operator.
 * @throws {ApiError} with the service's message when the status is not 2xx.
 */
export async function adminGet<Reply>(path: string, signal: AbortSignal | null = null): Promise<Reply> {
  return await request<Reply>(path, {}, { signal });
}

/** Does something once, however often it is sent. @throws {ApiError} as {@link adminGet}. */
export async function adminPost<Reply>(path: string): Promise<Reply> {
  return await request<Reply>(path, { 'idempotency-key': crypto.randomUUID() }, { method: 'POST' });
}

async function request<Reply>(path: string, more: Readonly<Record<string, string>>, init: RequestInit): Promise<Reply> {
  const headers = { ...more, 'x-admin-secret-key': adminKey.get() ?? '' };
  // Some errors, such as those of the platform, are not JSON.
  const reply = await fetch(path, { ...init, headers, cache: 'no-store' });
  const body: unknown = await reply.json().catch(() => undefined);
  if (!reply.ok)
    throw new ApiError(reply.status, messageOf(body) ?? `The service answered with status ${reply.status}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service that served this page has written it
  return body as Reply;
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
  const { errors } = { errors: undefined, ...body };
  const [first]: unknown[] = Array.isArray(errors) ? errors : [];
  const detail = typeof first === 'object' && first !== null && 'message' in first ? `: ${String(first.message)}` : '';
  return `${String(body.message)}${detail}`;
}
