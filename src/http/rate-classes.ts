/**
 * The routes that cost more than a look into the database, and the limit that each has. Every other corporate route is
 * `standard`. How many requests a minute an account has in a class is in wrangler.toml.
 */
// fallow-ignore-next-line unused-export -- Tests hold every route and the docs to this table.
export const RATE_CLASSES = {
  // Each ends in a transaction of the account's wallet that is large, or that cannot be undone.
  'POST /contracts/deploy': 'deploy',
  'POST /contracts/forwarder': 'deploy',
  'POST /contracts/transfer-ownership': 'deploy',
  // Each recovers a signature and simulates the request on chain.
  'POST /minting/relay': 'relay',
  'POST /transfer/execute': 'relay',
  // Each asks the chain, the first with the caller's own ABI.
  'POST /contracts/read': 'read',
  'POST /minting/occupancy/check': 'read',
  // Asks the index provider.
  'GET /api/wallet/nfts': 'index',
  'POST /assets/upload': 'upload',
  'POST /minting/signature': 'signature',
  'POST /transfer/signature': 'signature',
} as const satisfies Readonly<Record<string, RateClass>>;

export type RateClass = 'standard' | 'deploy' | 'relay' | 'read' | 'index' | 'upload' | 'signature';

const classes = new Map<string, RateClass>(Object.entries(RATE_CLASSES));

/** @param route Method and path, as in `POST /contracts/deploy`. */
export function rateClassOf(route: string): RateClass {
  return classes.get(route) ?? 'standard';
}
