/** @returns undefined if there are no bytes, or they are no JSON in UTF-8. */
export function parsedBytes(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
}
