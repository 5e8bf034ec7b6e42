/**
 * What most kinds have in common: an order depends on no other, goes alone, can be carried out by the wallet alone, and
 * its end changes nothing but its own row.
 */
export const PLAIN = {
  idleMinutes: { waiting: 5, signed: 10 },
  dependency: null,
  bundling: null,
  check: null,
  explain: null,
  findForeignEffect: null,
  ended: () => ({}),
  reopened: () => ({}),
} as const;
