interface Component {
  stop(): Promise<void>;
}

/**
 * The components of a stack that have started, so that they can be stopped together, also when another one fails to
 * start.
 */
export class ComponentGroup {
  readonly #components: Component[] = [];

  /** Waits until a component has started, and adds it. */
  async add<T extends Component>(starting: Promise<T>): Promise<T> {
    const component = await starting;
    this.#components.push(component);
    return component;
  }

  /**
   * Stops every component in reverse order, since later ones use earlier ones. One that fails to stop does not prevent
   * the rest.
   * @throws {AggregateError} when any of them failed to stop.
   */
  async stop(): Promise<void> {
    const errors: unknown[] = [];
    for (let component = this.#components.pop(); component; component = this.#components.pop()) {
      await component.stop().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Some components of the stack did not stop cleanly');
  }
}
