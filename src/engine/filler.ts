import { FILLER, loadFillers } from './store/fillers.ts';
import type { OrderKind } from './order-kind.ts';

/** Fills an unused nonce that blocks all later ones: a zero-value transfer from the wallet to itself, without an order. */
export const filler: OrderKind<null, null, never> = {
  name: FILLER,
  queue: 'transfer',
  orders: null,
  idleMinutes: { waiting: 5, signed: 10 },
  resource: null,
  events: null,
  dependency: null,
  check: null,
  explain: null,
  findForeignEffect: null,
  settled: null,
  whenIdle: null,
  parties: () => ({ contract: null, receivers: [] }),
  gasCeiling: () => 100_000n,
  load: loadFillers,
  call: ({ account }) => ({ to: account.walletAddress, data: '0x' }),
  readReceipt: () => ({ effect: null }),
  ended: () => [],
  reopened: () => [],
};
