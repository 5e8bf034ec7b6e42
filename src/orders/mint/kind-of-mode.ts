import type { mintingOrders } from '../../platform/database/schema.ts';

/** The name of the order kind that carries out the minting orders of each mode. */
export const KIND_OF_MODE = { direct: 'mint', relay: 'relay-mint' } as const satisfies Record<
  (typeof mintingOrders.$inferSelect)['mode'],
  string
>;
