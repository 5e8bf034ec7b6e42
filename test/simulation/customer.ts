import { createHash } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { lowerCase, type LowerCaseAddress } from '../../src/core/lower-case.ts';
import { SCOPES } from '../../src/platform/database/vocabulary/scope.ts';
import type { StoredLimits } from '../../src/platform/database/schema.ts';
import { NOTICES } from '../../src/webhooks/notices.ts';
import type { Reception, TokenContract } from './world/chain/state.ts';
import type { Random } from './world/random.ts';
import { encryptGcm } from './world/runtime-globals.ts';
import { CHAIN_ID, ENCRYPTION_KEY, type World } from './world/world.ts';

const COIN = 10n ** 18n;
/** The tokens of each ERC-721 contract that the signer holds at first: those with the lowest ids. */
export const HELD_TOKENS = 20;
/** The units of token 0 of each ERC-1155 contract that the signer holds at first. */
export const HELD_UNITS = 1_000n;
/** The place of the contract of certificates among those of a customer. */
export const CERTIFICATES = 3;

/** A corporate account with wallets, contracts, and the key of a token holder. */
export interface Customer {
  readonly name: string;
  readonly id: string;
  /** The main wallet, and those that relay requests, one after another. */
  readonly wallets: readonly [OwnWallet, ...OwnWallet[]];
  /** Its own key to the API, and one of a second person; undefined: it uses that of the operator. */
  readonly apiKey: ApiKey | undefined;
  readonly secondKey: ApiKey | undefined;
  readonly endpoints: readonly OwnEndpoint[];
  readonly contracts: readonly OwnContract[];
  /** Deployed without the service, which does not know it yet. */
  readonly elsewhere: OwnContract;
  readonly forwarder: Address;
  /** Owns a contract with relayed mints, and holds tokens for relayed transfers. */
  readonly signer: PrivateKeyAccount;
  readonly signerKey: Hex;
}

export interface OwnWallet {
  /** Lower case. */
  readonly address: Address;
  readonly privateKey: Hex;
  readonly secretId: string;
}

/** A key of an account. */
export interface ApiKey {
  readonly id: string;
  /** The value of x-api-key. */
  readonly secret: string;
}

interface OwnEndpoint {
  readonly id: string;
  /** Null: the ends of all orders. */
  readonly eventTypes: readonly string[] | null;
}

export interface OwnContract {
  readonly address: LowerCaseAddress;
  readonly standard: '721' | '1155';
  readonly owner: Address;
  readonly isCertificate: boolean;
}

/** Creates an account with its wallet, contracts and secrets, as if an operator had done so long ago. */
export function addCustomer(world: World, index: number): Customer {
  const random = world.random.fork(`customer ${index}`);
  const name = `customer-${index}`;
  const id = recordId(random);
  const main = addWallet(world, random, `/dapp/dev/corp/${name}/wallet`);
  const signerKey = random.hex(32);
  const signer = privateKeyToAccount(signerKey);
  const holder = lower(signer.address);
  world.database.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ($1, $2, $2, $3, $4)`,
    [id, name, main.secretId, privateKeyToAccount(main.privateKey).address],
  );
  if (world.faults.isLimited) limit(world, random, id);
  const endpoints = [
    addEndpoint(world, random, id, name, null),
    addEndpoint(world, random, id, `${name}-own`, ['mint.confirmed', 'mint.failed', ...Object.keys(NOTICES)]),
  ];
  world.chain.deposit(holder, 1_000n * COIN);
  const forwarder = lowerCase(random.hex(20));
  world.chain.prepare((state) => state.setContract(forwarder, { kind: 'forwarder', nonces: new Map() }));
  insertContract(world, id, recordId(random), { address: forwarder, standard: 'Forwarder', owner: null }, null);
  const place = (standard: '721' | '1155', owner: Address, isCertificate = false) =>
    placeContract(world, random, { standard, owner, forwarder, holder, isCertificate });
  const contracts = [
    place('721', main.address),
    place('1155', main.address),
    place('721', holder),
    place('721', main.address, true),
  ];
  for (const contract of contracts) insertContract(world, id, recordId(random), contract, forwarder);
  if (random.chance(0.5)) {
    world.database.query('update corporate_accounts set approvals_required = true where id = $1', [id]);
  }
  const elsewhere = place('721', main.address);
  const relayers = random.chance(0.5)
    ? [1, 2].map((number) => addWallet(world, random, `/dapp/dev/corp/${name}/relayer-${number}`))
    : [];
  const wallets = [main, ...relayers] as const;
  useNextRelayer(world, { id, wallets });
  const [apiKey, secondKey] = random.chance(0.6) ? [addKey(world, random, id), addKey(world, random, id)] : [];
  return { name, id, wallets, apiKey, secondKey, endpoints, contracts, elsewhere, forwarder, signer, signerKey };
}

function addWallet(world: World, random: Random, name: string): OwnWallet {
  const privateKey = random.hex(32);
  const isInKms = random.chance(world.faults.isKms ? 0.8 : 0.2);
  const secretId = isInKms ? `arn:aws:kms:us-east-1:111122223333:alias${name}` : name;
  world.secrets.put(secretId, JSON.stringify({ privateKey }));
  const address = lower(privateKeyToAccount(privateKey).address);
  world.chain.deposit(address, random.chance(0.8) ? 100n * COIN : COIN / 20n);
  if (world.conditions.has('set back')) {
    // It was used before the service had it.
    const nonce = random.fork('history').whole(0, 9);
    world.chain.prepare((state) => state.setAccount(address, { ...state.account(address), nonce }));
  }
  return { address, privateKey, secretId };
}

/** Has new requests relayed by the next wallet, if there is another one, as the operator's command does. */
export function useNextRelayer(world: World, { id, wallets }: Pick<Customer, 'id' | 'wallets'>): void {
  const used = world.database.query('select secret_id from relayer_wallets where corporate_account_id = $1', [id]);
  const next = wallets[1 + used.length];
  if (next === undefined) return;
  const now = new Date(world.scheduler.now()).toISOString();
  world.database.query(
    'update relayer_wallets set replaced_at = $2 where corporate_account_id = $1 and replaced_at is null',
    [id, now],
  );
  world.database.query(
    'insert into relayer_wallets (address, corporate_account_id, secret_id, created_at) values ($1, $2, $3, $4)',
    [privateKeyToAccount(next.privateKey).address, id, next.secretId, now],
  );
}

function addKey(world: World, random: Random, accountId: string): ApiKey {
  const id = recordId(random);
  const secret = `key_live_${random.hex(32).slice(2)}`;
  world.database.query(
    `insert into account_keys (id, corporate_account_id, kind, name, hash, scopes) values ($1, $2, 'live', 'first', $3, $4)`,
    [id, accountId, createHash('sha256').update(secret).digest('hex'), `{${SCOPES.join(',')}}`],
  );
  return { id, secret };
}

/** Limits how many orders the account may make and what they may cost, which is enough for some of them. */
function limit(world: World, random: Random, accountId: string): void {
  const some = (value: number) => (random.chance(0.3) ? value : null);
  const limits: StoredLimits = {
    ordersPerDay: some(random.whole(2, 20)),
    pendingOrders: some(random.whole(1, 8)),
    receivers: null,
    contracts: null,
    chains: null,
    spend: {
      [CHAIN_ID]: { perDay: String((COIN * BigInt(random.whole(5, 50))) / 1_000n), perOrder: null, gasPrice: null },
    },
  };
  world.database.query(
    `insert into account_limits (corporate_account_id, limits, updated_at) values ($1, $2, '2026-03-01')`,
    [accountId, JSON.stringify(limits)],
  );
}

/** The first endpoint of an account is the one that an operator sets. */
function addEndpoint(
  world: World,
  random: Random,
  accountId: string,
  target: string,
  eventTypes: readonly string[] | null,
): OwnEndpoint {
  const id = recordId(random);
  const secret = `whsec_${Buffer.from(random.hex(32).slice(2), 'hex').toString('base64')}`;
  world.webhookSecrets.set(target, secret);
  world.database.query(
    `insert into webhook_endpoints (id, corporate_account_id, managed_by, url, event_types, secret_id, secret)
     values ($1, $2, $3, $4, $5, $1, $6)`,
    [
      id,
      accountId,
      eventTypes === null ? 'operator' : 'account',
      world.webhookUrlOf(target),
      eventTypes === null ? null : `{${eventTypes.join(',')}}`,
      encrypted(random.fork('nonce'), secret, `webhook endpoint ${id}`),
    ],
  );
  return { id, eventTypes };
}

/** A text as src/platform/encryption.ts stores it. */
function encrypted(random: Random, text: string, context: string): string {
  const iv = Buffer.from(random.hex(12).slice(2), 'hex');
  const data = encryptGcm(ENCRYPTION_KEY, iv, Buffer.from(context), Buffer.from(text));
  return `simulation.${iv.toString('base64')}.${data.toString('base64')}`;
}

/** Puts a contract on chain, with tokens that the holder can transfer or burn later. */
function placeContract(
  world: World,
  random: Random,
  contract: Pick<TokenContract, 'standard' | 'owner' | 'forwarder' | 'isCertificate'> & { readonly holder: Address },
): OwnContract {
  const { standard, owner, forwarder, holder, isCertificate } = contract;
  const address = lowerCase(random.hex(20));
  const token: TokenContract = {
    kind: 'token',
    standard,
    isCertificate,
    // Certificates may be burned by their holder and revoked by their issuer.
    burnAuth: 2,
    owner,
    forwarder,
    baseUri: '',
    records: new Map(),
    holders: new Map(standard === '721' ? Array.from({ length: HELD_TOKENS }, (_, id) => [BigInt(id), holder]) : []),
    balances: new Map(standard === '1155' ? [[`${holder}/0`, HELD_UNITS]] : []),
  };
  world.chain.prepare((state) => state.setContract(address, token));
  return { address, standard, owner, isCertificate };
}

function insertContract(
  world: World,
  accountId: string,
  id: string,
  {
    address,
    standard,
    owner,
    isCertificate = false,
  }: Omit<OwnContract, 'standard' | 'owner' | 'isCertificate'> & {
    readonly standard: string;
    readonly owner: Address | null;
    readonly isCertificate?: boolean;
  },
  forwarder: Address | null,
): void {
  const type = standard === 'Forwarder' ? null : isCertificate ? 'certificate' : 'standard';
  world.database.query(
    `insert into contracts (id, corporate_account_id, chain_id, name, symbol, alias, erc_standard, contract_type, status,
       current_owner_address, trusted_forwarder, contract_address, burn_auth)
     values ($1, $2, $3, 'Tokens', 'T', 'forwarder', $4, $5, 'ACTIVE', $6, $7, $8, $9)`,
    [id, accountId, CHAIN_ID, standard, type, owner, forwarder, address, isCertificate ? 'both' : null],
  );
}

/** Creates receiving contracts of every kind. */
export function addReceivers(world: World): readonly [Address, ...Address[]] {
  const random = world.random.fork('receivers');
  const natures: Reception[] = [
    { kind: 'accepts', gas: 30_000n },
    { kind: 'accepts', gas: 30_000_000n },
    { kind: 'refuses', reason: '0x11223344' },
    { kind: 'burns' },
    { kind: 'burns-when-paid' },
    { kind: 'moody', reason: '0x' },
    { kind: 'delegated' },
  ];
  const { isMoody, isBundling } = world.faults;
  const chosen = natures
    .filter(({ kind }) =>
      random.chance((isMoody && kind === 'moody') || (isBundling && kind === 'delegated') ? 1 : 0.3),
    )
    .map((reception) => ({ reception, address: random.hex(20) }));
  world.chain.prepare((state) => {
    for (const { reception, address } of chosen) state.setContract(address, { kind: 'receiver', reception });
  });
  // Most tokens go to externally owned accounts, or to moody contracts.
  const people = Array.from({ length: isMoody ? 1 : 6 }, () => random.hex(20));
  const moody = chosen.filter(({ reception }) => isMoody && reception.kind === 'moody').map(({ address }) => address);
  const delegated = chosen.filter(({ reception }) => isBundling && reception.kind === 'delegated');
  const often = [...moody, ...moody, ...delegated.map(({ address }) => address)];
  return [random.hex(20), ...people, ...chosen.map(({ address }) => address), ...often, ...often];
}

function recordId(random: Random): string {
  return `019${random.hex(12).slice(5)}`;
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
