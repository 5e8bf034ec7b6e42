interface Part {
  stop(): Promise<void>;
}

/** The parts of a stack that were started, so that they can be ended together, also when one of them fails to start. */
export class StartedParts {
  readonly #parts: Part[] = [];

  /** Waits for a part's start and remembers the part. */
  async add<T extends Part>(starting: Promise<T>): Promise<T> {
    const part = await starting;
    this.#parts.push(part);
    return part;
  }

  /** Ends every part, the last one first, since later ones use earlier ones. A part that fails to end does not keep the others. */
  async stop(): Promise<void> {
    const faults: unknown[] = [];
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      await part.stop().catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw new AggregateError(faults, 'Parts of the stack did not end cleanly');
  }
}
