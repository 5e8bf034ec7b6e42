import type { Address, Hex } from 'viem';
import { signMessage } from '../fixtures/sign-message.ts';
import type { Loose } from './api-document.ts';

/** A wallet whose key the run knows. */
export interface Signer {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** An ACTIVE contract of the account. */
export interface Contract {
  readonly contractAddress: string;
  readonly ercStandard: string;
  readonly contractType: string;
}

/** Where the account's resources of each kind are, by the start of the path; the first that matches counts. */
const KINDS = [
  '/contracts/transfer-ownership',
  '/contracts/base-uri',
  '/contracts',
  '/minting',
  '/claims',
  '/imports',
  '/transfer',
  '/burn',
  '/certificates/revoke',
  '/chain-notifications',
  '/metadata',
  '/webhooks/endpoints',
  '/webhooks/deliveries',
  '/keys',
  '/approvals',
] as const;

export type Kind = (typeof KINDS)[number];

/** The kind of the resources that an operation's path is about. */
export function kindOf(path: string): Kind | undefined {
  const start = path.replace('/admin', '');
  if (start.startsWith('/orders/')) return '/minting';
  return KINDS.find((kind) => start.startsWith(kind));
}

/** How many of each kind are kept: the newest. */
const KEPT = 200;

/** An account, and what the run knows of it. It grows by the replies. */
export class Tenant {
  readonly corporateId: string;
  /** The headers of each way to authenticate, by security scheme. */
  readonly credentials: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly signers: readonly Signer[];
  /** Burns its tokens, and signs nothing else: the nonce of its latest request is its next one. */
  readonly burner: Signer;
  /** Ids of what must stay as it is. */
  readonly reserved: readonly string[];
  /** URL that takes webhooks. */
  readonly webhookUrl: string;
  /** Contracts that the account's wallet owns. */
  readonly contracts: Contract[] = [];
  /** Contracts that may be given away. */
  readonly spare: string[] = [];
  /** ERC-721, owned by the first signer, for relayed mints. */
  relayed: Contract | undefined;
  forwarder: string | undefined;
  /** ERC-1155 tokens of which every signer and the burner have plenty. */
  readonly held: { readonly contractAddress: string; readonly tokenId: string }[] = [];
  /** An ERC-1155 certificate that the account may revoke, of which the first signer has plenty. */
  revocable: { readonly contractAddress: string; readonly tokenId: string } | undefined;
  /** Ids of documents of tokens of the account's contracts. */
  readonly minted: string[] = [];
  /** Ids of documents for standard contracts. */
  readonly documents: string[] = [];
  readonly certificates: { readonly metadataId: string; readonly metadataHash: string }[] = [];
  /** Complete bodies of POST /transfer/execute, of POST /burn/execute and of POST /minting/relay. */
  readonly signedTransfers: object[] = [];
  readonly signedBurns: object[] = [];
  readonly signedMints: object[] = [];
  /** The secrets of links. */
  readonly linkSecrets: string[] = [];
  readonly #ids = new Map<Kind, string[]>();
  readonly #hashes = new Map<Kind, string[]>();
  #tokens = 0;

  constructor(given: Pick<Tenant, 'corporateId' | 'credentials' | 'reserved' | 'signers' | 'burner' | 'webhookUrl'>) {
    this.corporateId = given.corporateId;
    this.credentials = given.credentials;
    this.reserved = given.reserved;
    this.signers = given.signers;
    this.burner = given.burner;
    this.webhookUrl = given.webhookUrl;
  }

  ids(kind: Kind): readonly string[] {
    return this.#ids.get(kind) ?? [];
  }

  hashes(kind: Kind): readonly string[] {
    return this.#hashes.get(kind) ?? [];
  }

  /** A token id that nothing has used. */
  nextToken(): string {
    this.#tokens += 1;
    return String(this.#tokens);
  }

  /** Learns from a successful reply. @param path Of the operation. @param request The body that was sent. */
  learn(path: string, request: Loose, reply: Loose): void {
    const kind = kindOf(path);
    if (kind === undefined || path.startsWith('/admin')) return;
    for (const item of itemsOf(reply)) this.#learnItem(kind, path, item);
    if (path === '/contracts/transfer-ownership') drop(this.spare, reply.contractAddress);
    if (path === '/burn/prepare' && request?.from === this.burner.address)
      keep(this.signedBurns, { ...flat(request), ...signedForm(this.burner, reply) });
    const { signature } = Object(reply);
    if (typeof signature !== 'string' || typeof request !== 'object') return;
    const { privateKey: _, note: __, ...signed } = flat(request);
    if (path === '/transfer/signature') keep(this.signedTransfers, { ...signed, signature });
    if (path === '/minting/signature') keep(this.signedMints, { ...signed, signature });
  }

  /** Learns that what a path names is gone. */
  forget(path: string, id: string): void {
    const kind = kindOf(path);
    if (kind !== undefined) drop(listOf(this.#ids, kind), id);
  }

  #learnItem(kind: Kind, path: string, item: Loose): void {
    const id: unknown = item._id ?? item.id ?? item.jobId;
    if (typeof id === 'string' && /^[0-9a-f]{24}$/.test(id) && !this.reserved.includes(id))
      keep(listOf(this.#ids, kind), id);
    if (typeof item.txHash === 'string') keep(listOf(this.#hashes, kind), item.txHash);
    const isOwn = this.contracts.some((one) => one.contractAddress === item.contractAddress);
    if (typeof item.url === 'string' && kind === '/claims') keep(this.linkSecrets, new URL(item.url).hash.slice(1));
    if (kind === '/minting' && item.status === 'CONFIRMED' && isOwn) keep(this.minted, item.metadataId);
    if (kind === '/contracts' && item.status === 'ACTIVE' && ['721', '1155'].includes(item.ercStandard)) {
      const { contractAddress, chainId } = item;
      if (!isOwn && chainId === '43114') keep(this.spare, contractAddress);
    }
    if (path !== '/metadata' || item.chainId !== '43114' || item.contractAddress !== '') return;
    if (typeof item.metadataHash === 'string')
      keep(this.certificates, { metadataId: item._id, metadataHash: item.metadataHash });
    else keep(this.documents, item._id);
  }
}

/**
 * The fields of a signed request: none has members. What the service has ignored can be nested deeper than a mutation
 * can follow.
 */
function flat(request: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => typeof value !== 'object' || value === null));
}

/** What the signer adds to a request that was prepared. @param prepared The reply to the preparation. */
function signedForm(signer: Signer, { domain, request, deadline }: Loose): Record<string, unknown> {
  return {
    gasLimit: request.gas,
    forwarderNonce: request.nonce,
    forwarderAddress: domain.verifyingContract,
    deadline,
    signature: signMessage(signer, domain.verifyingContract, request),
  };
}

function* itemsOf(reply: Loose): Generator<Loose> {
  if (typeof reply !== 'object' || reply === null) return;
  if (Array.isArray(reply)) yield* reply.filter((item) => typeof item === 'object' && item !== null);
  else if (Array.isArray(reply.items)) yield* reply.items;
  else if (Array.isArray(reply.results))
    yield* reply.results.flatMap(({ order, claim }: Loose) => order ?? claim ?? []);
  else yield reply;
}

function listOf(lists: Map<Kind, string[]>, kind: Kind): string[] {
  const list = lists.get(kind) ?? [];
  lists.set(kind, list);
  return list;
}

function drop<Item>(list: Item[], item: Item): void {
  const at = list.indexOf(item);
  if (at !== -1) list.splice(at, 1);
}

function keep<Item>(list: Item[], item: Item): void {
  if (list.includes(item)) return;
  list.push(item);
  if (list.length > KEPT) list.shift();
}
