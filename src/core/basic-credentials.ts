/**
 * The user name and password of a URL as in the header `Authorization: Basic`: base64 of their UTF-8 (RFC 7617).
 * @returns undefined when the URL has neither.
 */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  return btoa(String.fromCharCode(...bytes));
}

/** A text with its percent-encoding decoded; unchanged if that is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
