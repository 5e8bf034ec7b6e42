/** The limits that can refuse or hold an order, by the names that replies and notices have for them. */
export const LIMIT_NAMES = [
  'ordersPerDay',
  'pendingOrders',
  'receivers',
  'contracts',
  'chains',
  'spendPerDay',
  'spendPerOrder',
  'gasPrice',
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];
