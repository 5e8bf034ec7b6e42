import type { Loose, Operation } from './api-document.ts';
import { knownCalls } from './abi.ts';
import { isPlainObject } from './is-plain-object.ts';
import { type Tenant, kindOf } from './tenant.ts';
import type { Picks } from './picks.ts';

type Fields = Record<string, unknown>;

/** What the body of an operation names of the account's resources; a member that is undefined is left out. */
type Recipe = (tenant: Tenant, picks: Picks, body: Loose) => Fields;

const chainId = '43114';

const mint: Recipe = (tenant, picks) => {
  const contract = picks.from(tenant.contracts);
  const isCertificate = contract?.contractType === 'certificate';
  const certificate = isCertificate ? picks.from(tenant.certificates) : undefined;
  return {
    chainId,
    contractAddress: contract?.contractAddress,
    tokenId: tenant.nextToken(),
    amount: contract?.ercStandard === '1155' ? 1 + picks.below(5) : undefined,
    metadataId: isCertificate ? certificate?.metadataId : nextOf(tenant.documents),
    metadataHash: certificate?.metadataHash,
    tokenUri: isCertificate ? 'https://example.com/certificate.json' : undefined,
  };
};

const claim: Recipe = (tenant, picks, body) => {
  const { tokenId, ...fields } = mint(tenant, picks, body);
  const from = tenant.nextToken();
  const token = picks.from([{ tokenId }, { tokenIds: { from, to: from } }]);
  const expiresAt = picks.from([undefined, new Date(Date.now() + 86_400_000).toISOString()]);
  return { ...fields, tokenId: undefined, tokenIds: undefined, ...token, expiresAt };
};

const relayedMint: Recipe = (tenant, picks) => ({
  chainId,
  contractAddress: tenant.relayed?.contractAddress,
  tokenId: tenant.nextToken(),
  amount: undefined,
  metadataId: nextOf(tenant.documents),
  metadataHash: undefined,
  tokenUri: undefined,
  from: tenant.signers[0]?.address,
  ...forwarding(tenant, picks, {}),
});

const forwarding: Recipe = ({ forwarder }, picks) => ({
  forwarderAddress: picks.from([undefined, forwarder]),
  forwarderNonce: undefined,
  gasLimit: picks.from([undefined, 400_000, '400000']),
  deadline: picks.from([undefined, null, new Date(Date.now() + 3_600_000).toISOString()]),
});

const transfer: Recipe = (tenant, picks, body) => {
  const signer = picks.from(tenant.signers);
  const common = { chainId, from: signer?.address, ...forwarding(tenant, picks, body) };
  if (body.purpose === 'cancel') return { ...common, contractAddress: tenant.held[0]?.contractAddress };
  return { ...common, ...picks.from(tenant.held), amount: 1, ercStandard: picks.from([undefined, '1155']) };
};

const burn: Recipe = (tenant, picks, body) => ({
  chainId,
  from: tenant.burner.address,
  ...forwarding(tenant, picks, body),
  ...picks.from(tenant.held),
  amount: 1,
});

/** A request that was signed lately, in place of all of the body: an earlier one has an outdated nonce. */
function signedBefore(requests: readonly object[], picks: Picks, body: Fields): Fields | undefined {
  const request = picks.from(requests.slice(-4));
  return request && { ...Object.fromEntries(Object.keys(body).map((key) => [key, undefined])), ...request };
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  orderMint: mint,
  orderMintPlural: mint,
  orderMints: (tenant, picks, { orders }) =>
    Array.isArray(orders)
      ? { orders: orders.map((order: Loose) => ({ ...order, ...mint(tenant, picks, order) })) }
      : { orders },
  createClaim: claim,
  createClaims: (tenant, picks, { claims }) =>
    Array.isArray(claims)
      ? { claims: claims.map((one: Loose) => ({ ...one, ...claim(tenant, picks, one) })) }
      : { claims },
  openClaim: ({ linkSecrets }, picks) => ({ secret: picks.from(linkSecrets) }),
  claimToken: ({ linkSecrets }, picks) => ({ secret: picks.from(linkSecrets) }),
  prepareMint: (tenant, picks, body) => ({ ...relayedMint(tenant, picks, body), gasLimit: undefined }),
  signMint: (tenant, picks, body) => ({
    ...relayedMint(tenant, picks, body),
    privateKey: tenant.signers[0]?.privateKey,
  }),
  relayMint: (tenant, picks, body) => signedBefore(tenant.signedMints, picks, body) ?? relayedMint(tenant, picks, body),
  prepareTransfer: (tenant, picks, body) => ({ ...transfer(tenant, picks, body), gasLimit: undefined }),
  signTransfer: (tenant, picks, body) => {
    const fields = transfer(tenant, picks, body);
    return { ...fields, privateKey: tenant.signers.find(({ address }) => address === fields['from'])?.privateKey };
  },
  executeTransfer: (tenant, picks, body) => {
    const isCancel = body.purpose === 'cancel';
    return (isCancel ? undefined : signedBefore(tenant.signedTransfers, picks, body)) ?? transfer(tenant, picks, body);
  },
  prepareBurn: (tenant, picks, body) => ({ ...burn(tenant, picks, body), gasLimit: undefined }),
  executeBurn: (tenant, picks, body) => signedBefore(tenant.signedBurns, picks, body) ?? burn(tenant, picks, body),
  revokeCertificate: (tenant, picks) => ({
    chainId,
    contractAddress: picks.from(tenant.contracts)?.contractAddress,
    ...picks.from([undefined, tenant.revocable, tenant.revocable]),
    from: tenant.signers[0]?.address,
    amount: 1,
  }),
  notifyChain: (tenant, picks) =>
    picks.below(3) === 0
      ? { metadataId: undefined, contractId: picks.from(tenant.ids('/contracts')) }
      : { metadataId: picks.from([...tenant.minted, ...tenant.documents.slice(-2)]), contractId: undefined },
  checkOccupancy: (tenant, picks) => ({
    chainId,
    contractAddress: picks.from(tenant.contracts)?.contractAddress,
    metadataId: picks.from([undefined, picks.from(tenant.documents)]),
  }),
  deployContract: ({ signers }, picks) => ({
    currentOwnerAddress: undefined,
    trustedForwarder: undefined,
    transferOwnerAddress: picks.below(8) === 0 ? signers[0]?.address : undefined,
  }),
  registerContract: (tenant, picks) => ({ chainId, ...picks.from(tenant.contracts) }),
  transferOwnership: (tenant, picks) => ({ chainId, contractAddress: picks.from(tenant.spare) }),
  setBaseUri: (tenant, picks) => ({ chainId, contractAddress: picks.from(tenant.contracts)?.contractAddress }),
  readContract: (tenant, picks, body) => ({
    chainId,
    contractAddress: picks.from(tenant.contracts)?.contractAddress,
    ...(body.abi === undefined ? picks.from(knownCalls('1', tenant.signers[0]?.address ?? '')) : {}),
  }),
  createKey: (_, picks) => ({
    allowedAddresses: picks.from([undefined, undefined, ['203.0.113.0/24', '2001:db8::/32']]),
    expiresAt: picks.from([undefined, new Date(Date.now() + 86_400_000).toISOString()]),
  }),
  createWebhookEndpoint: ({ webhookUrl }, picks) => ({ url: `${webhookUrl}/${picks.below(1_000)}` }),
  changeWebhookEndpoint: ({ webhookUrl }, picks) => ({
    url: picks.from([undefined, `${webhookUrl}/${picks.below(1_000)}`]),
  }),
  replayWebhookDeliveries: (tenant, picks) => ({
    since: new Date(Date.now() - 1_000 * picks.below(60)).toISOString(),
    endpointId: picks.from(tenant.ids('/webhooks/endpoints')),
  }),
};

/**
 * Puts resources of the account into a body that was made from the schema alone. A body that is no object stays as it
 * is.
 */
export function withResources(operation: Operation, body: unknown, tenant: Tenant, picks: Picks): unknown {
  if (!isPlainObject(body)) return body;
  // Older orders have ended.
  if (operation.path.endsWith('/cancel'))
    return { ...body, id: picks.from(tenant.ids(kindOf(operation.path) ?? '/minting').slice(-5)) };
  const recipe = RECIPES[operation.id];
  if (recipe === undefined) return body;
  return Object.fromEntries(
    Object.entries({ ...body, ...recipe(tenant, picks, body) }).filter(([, value]) => value !== undefined),
  );
}

/** The first of a list, which then goes to its end: what has been used for the longest time comes first. */
function nextOf<Item>(list: Item[]): Item | undefined {
  const next = list.shift();
  if (next !== undefined) list.push(next);
  return next;
}
