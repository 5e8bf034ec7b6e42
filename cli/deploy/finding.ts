/** Something that a deployment lacks. */
export interface Finding {
  /** What is missing or wrong; contains no secret. */
  readonly what: string;
  /** The command, or the edit, that fixes it. */
  readonly command: string;
  /** Whether it prevents the deployment. */
  readonly blocks: boolean;
}

/** @returns a finding that prevents the deployment. */
export function missing(what: string, command: string): Finding {
  return { what, command, blocks: true };
}

/** @returns why a request failed. The message of `fetch` does not say; its cause does, by a message or else a code. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (reason instanceof AggregateError) return reason.errors.map(String).join('; ');
  if (!(reason instanceof Error)) return String(reason);
  return reason.message !== '' ? reason.message : String('code' in reason ? reason.code : reason.name);
}
