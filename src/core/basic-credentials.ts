import { decoded } from './decoded.ts';

/**
 * The user name and the password of a URL as the header `Authorization: Basic` has them: base64 of their UTF-8 (RFC 7617).
 * @returns undefined where the URL has neither.
 */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  return btoa(String.fromCharCode(...bytes));
}
