/** The check cannot be completed. The message says why, for the visitor. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}

/** A failure of the network or of another party, in words for the visitor. */
export function reasonOf(error: unknown): string {
  if (error instanceof CannotTell) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'it did not answer in time';
  // What browsers throw when a server is unreachable or does not allow other sites to read it.
  if (error instanceof TypeError) return 'it cannot be reached from this browser';
  return error instanceof Error ? error.message : String(error);
}
