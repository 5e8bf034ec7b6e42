/**
 * Routes that cost more than a database query, and the rate limit of each. Every other corporate route is `standard`. The
 * limits themselves are in wrangler.toml.
 */
// fallow-ignore-next-line unused-export -- Tests compare the routes and the docs with this table.
export const RATE_CLASSES = {
  // A transaction that is large or irreversible.
  'POST /contracts/deploy': 'deploy',
  'POST /contracts/forwarder': 'deploy',
  'POST /contracts/transfer-ownership': 'deploy',
  // Recover a signature and simulate the request.
  'POST /minting/relay': 'relay',
  'POST /transfer/execute': 'relay',
  // Cost gas where something is signed, and read from the chain where someone else may have sent it.
  'POST /minting/cancel': 'relay',
  'POST /transfer/cancel': 'relay',
  'POST /contracts/cancel': 'relay',
  'POST /contracts/transfer-ownership/cancel': 'relay',
  // Read from the chain, the first with the caller's own ABI.
  'POST /contracts/read': 'read',
  'POST /minting/occupancy/check': 'read',
  // Calls the NFT index provider.
  'GET /api/wallet/nfts': 'index',
  'POST /assets/upload': 'upload',
  'POST /minting/signature': 'signature',
  'POST /transfer/signature': 'signature',
} as const satisfies Readonly<Record<string, RateClass>>;

export type RateClass = 'standard' | 'deploy' | 'relay' | 'read' | 'index' | 'upload' | 'signature';

const classes = new Map<string, RateClass>(Object.entries(RATE_CLASSES));

/** The rate class of a route. @param route Method and path, as in `POST /contracts/deploy`. */
export function rateClassOf(route: string): RateClass {
  return classes.get(route) ?? 'standard';
}
