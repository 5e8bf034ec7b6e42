import type { AnyOrderKind, OrderKinds } from '../engine/order-kind.ts';

const kinds: readonly AnyOrderKind[] = [];

/** Every kind of order: what the engine, the consumer, the cleanup job and the counts work with. */
export const orderKinds: OrderKinds = new Map(kinds.map((kind) => [kind.name, kind]));
