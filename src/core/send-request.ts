/** A request with a deadline for the whole exchange, the body of the response included. */
export interface BoundedRequest extends Omit<RequestInit, 'redirect' | 'signal'> {
  readonly signal: AbortSignal;
}

/**
 * Sends a request. Redirects are not followed: whoever answers could otherwise choose who gets our keys and what we fetch, and a target that was
 * checked would not be the one that is reached. A redirect is a response that is not `ok`.
 * @throws {Error} as `fetch`; `TimeoutError` if the signal is a timeout.
 */
export async function sendRequest(url: string | URL, request: BoundedRequest): Promise<Response> {
  // oxlint-disable-next-line eslint/no-restricted-globals -- the one place
  return await fetch(url, { ...request, redirect: 'manual' });
}
