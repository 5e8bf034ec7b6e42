/** The kind of transactions without an order of their own, which carry those of several orders or of none. */
export const BUNDLE = 'bundle';
