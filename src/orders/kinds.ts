import { filler } from '../engine/filler.ts';
import type { AnyOrderKind, OrderKinds } from '../engine/order-kind.ts';
import { mintKind } from './mint/mint-kind.ts';

const kinds: readonly AnyOrderKind[] = [mintKind, filler];

/** Every kind of order: what the engine, the consumer, the cleanup job and the counts work with. */
export const orderKinds: OrderKinds = new Map(kinds.map((kind) => [kind.name, kind]));
