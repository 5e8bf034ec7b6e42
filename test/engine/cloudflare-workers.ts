/** What the sources import of the runtime, for tests that run on Node: they drive lanes without its objects. */
export function waitUntil(): void {}
