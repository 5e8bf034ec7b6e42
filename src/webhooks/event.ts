/** Specification, Events 5: five attempts with exponential backoff. */
export const MAX_ATTEMPTS = 5;

/** The body of an event: the exact bytes of every attempt. */
export function payloadOf({
  type,
  at,
  data,
}: {
  readonly type: string;
  readonly at: Date;
  readonly data: object;
}): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
