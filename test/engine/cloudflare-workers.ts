/** Stands in for the runtime module in tests that run on Node and drive lanes without Durable Objects. */
export function waitUntil(): void {}
