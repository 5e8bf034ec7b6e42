import { LANGUAGES, type Message } from './texts.ts';

/** The check cannot be completed. The message says why, for the visitor. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
  readonly reason: Message;

  constructor(reason: Message) {
    super(reason(LANGUAGES[0]));
    this.reason = reason;
  }
}

/** A failure of the network or of another party, in words for the visitor. */
export function reasonOf(error: unknown): Message {
  if (error instanceof CannotTell) return error.reason;
  if (error instanceof DOMException && error.name === 'TimeoutError') return ({ reasons }) => reasons.timeout;
  // What browsers throw when a server is unreachable or does not allow other sites to read it.
  if (error instanceof TypeError) return ({ reasons }) => reasons.unreachable;
  return () => (error instanceof Error ? error.message : String(error));
}
