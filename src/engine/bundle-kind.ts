import type { OrderKind } from './order-kind.ts';
import { PLAIN } from './plain-kind.ts';
import { BUNDLE } from './store/bundles.ts';

/**
 * A transaction without an order of its own. Its call carries out several orders, each of which is decided by the
 * receipt for itself: it is done once it is mined. An empty one, a zero-value transfer from the wallet to itself, fills
 * an unused nonce that blocks all later ones.
 */
export const bundleKind: OrderKind<null, null, never> = {
  ...PLAIN,
  name: BUNDLE,
  queue: 'transfer',
  resource: null,
  events: null,
  columns: () => ({}),
  parties: () => ({ contract: null, receivers: [] }),
  gasCeiling: () => 100_000n,
  reading: null,
  call: ({ account }) => ({ to: account.walletAddress, data: '0x' }),
  readReceipt: () => ({ effect: null }),
};
