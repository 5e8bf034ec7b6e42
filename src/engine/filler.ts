import { loadFillers } from './store/fillers.ts';
import type { OrderKind } from './order-kind.ts';

/** Fills a nonce that no order uses, and that holds up all after it: a zero transfer of the wallet to itself, with no order behind it. */
export const filler: OrderKind<null, null, never> = {
  name: 'filler',
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
  parties: () => ({ contract: null, receivers: [] }),
  gasCeiling: () => 100_000n,
  load: loadFillers,
  call: ({ account }) => ({ to: account.walletAddress, data: '0x' }),
  readReceipt: () => ({ effect: null }),
  ended: () => [],
  reopened: () => [],
};
