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
  // Read from the chain, the first with the caller's own ABI.
  'POST /contracts/read': 'read',
  'POST /minting/occupancy/check': 'read',
  // Calls the NFT index provider.
  'GET /api/wallet/nfts': 'index',
  'POST /assets/upload': 'upload',
  'POST /minting/signature': 'signature',
  'POST /transfer/signature': 'signature',
  // Send requests to the account's servers, one or many.
  'POST /webhooks/endpoints/{id}/test': 'webhook',
  'POST /webhooks/deliveries/{id}/replay': 'webhook',
  'POST /webhooks/deliveries/replay': 'webhook',
} as const satisfies Readonly<Record<string, RateClass>>;

export type RateClass = 'standard' | 'deploy' | 'relay' | 'read' | 'index' | 'upload' | 'signature' | 'webhook';

const classes = new Map<string, RateClass>(Object.entries(RATE_CLASSES));

/** The rate class of a route. @param route Method and path, as in `GET /contracts/{id}`. */
export function rateClassOf(route: string): RateClass {
  return classes.get(route) ?? 'standard';
}
