/** An invariant does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;

  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail}`);
    this.invariant = invariant;
  }
}

/** What was thrown as a violation: an error of the simulation itself counts as one too, so that its seed is printed. */
export function violationOf(error: unknown): Violation {
  if (error instanceof Violation) return error;
  return new Violation('the simulation works', error instanceof Error ? (error.stack ?? error.message) : String(error));
}
