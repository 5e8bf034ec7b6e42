const KEY = 'admin-key';

/** The admin key, which lives as long as the tab. */
export const adminKey = {
  get: (): string | null => sessionStorage.getItem(KEY),
  set: (value: string): void => sessionStorage.setItem(KEY, value),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** The service answered with an error. */
class ApiError extends Error {
  override readonly name = 'ApiError';
}

/**
 * Calls a route of the operator.
 * @throws {ApiError} with the service's message when the status is not 2xx.
 */
export async function adminGet(path: string): Promise<unknown> {
  const reply = await fetch(path, { headers: { 'x-admin-secret-key': adminKey.get() ?? '' } });
  const body: unknown = await reply.json();
  if (!reply.ok) throw new ApiError(messageOf(body) ?? `HTTP ${reply.status}`);
  return body;
}

function messageOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : undefined;
}
