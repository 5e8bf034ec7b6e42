import { zeroAddress } from 'viem';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { StoredLimits } from '../../src/platform/database/schema.ts';
import { forwardRequestTypedData } from '../../src/relay/forward-request.ts';
import type { ForwardRequest } from '../../src/relay/forward-request.ts';
import { encodeBurn } from '../../src/orders/burn/burn-call.ts';
import { encodeMint } from '../../src/orders/mint/mint-call.ts';
import { encodeTransfer } from '../../src/orders/transfer/transfer-call.ts';
import { NOTICES } from '../../src/webhooks/notices.ts';
import { couponInput } from '../fixtures/metadata-inputs.ts';
import { submitAsSigner } from './submit-as-signer.ts';
import type { Reception, TokenContract } from './world/chain/state.ts';
import type { Random } from './world/random.ts';
import { CHAIN_ID } from './world/world.ts';
import type { Answer, World } from './world/world.ts';

const COIN = 10n ** 18n;
/** The tokens of each ERC-721 contract that the signer holds at first: those with the lowest ids. */
export const HELD_TOKENS = 20;
/** The units of token 0 of each ERC-1155 contract that the signer holds at first. */
export const HELD_UNITS = 1_000n;

/** An order that the service has accepted. */
export interface Accepted {
  readonly table:
    | 'minting_orders'
    | 'transfer_orders'
    | 'burn_orders'
    | 'certificate_revocations'
    | 'ownership_transfers'
    | 'contracts';
  readonly id: string;
}

const CANCEL_PATHS = {
  minting_orders: '/minting/cancel',
  transfer_orders: '/transfer/cancel',
  burn_orders: '/burn/cancel',
  certificate_revocations: '/certificates/revoke/cancel',
  ownership_transfers: '/contracts/transfer-ownership/cancel',
  contracts: '/contracts/cancel',
} as const satisfies Record<Accepted['table'], string>;

/** A corporate account with a wallet, contracts, and the key of a token holder. */
export interface Customer {
  readonly name: string;
  readonly id: string;
  readonly wallet: PrivateKeyAccount;
  readonly privateKey: Hex;
  readonly secretId: string;
  readonly endpoints: readonly OwnEndpoint[];
  readonly contracts: readonly OwnContract[];
  readonly forwarder: Address;
  /** Owns a contract with relayed mints, and holds tokens for relayed transfers. */
  readonly signer: PrivateKeyAccount;
}

interface OwnEndpoint {
  readonly id: string;
  /** Null: the ends of all orders. */
  readonly eventTypes: readonly string[] | null;
}

interface OwnContract {
  readonly id: string;
  readonly address: Address;
  readonly standard: '721' | '1155';
  readonly owner: Address;
}

/** The place of the contract of certificates among those of a customer. */
const CERTIFICATES = 3;

/** Creates an account with its wallet, contracts and secrets, as if an operator had done so long ago. */
export function addCustomer(world: World, index: number): Customer {
  const random = world.random.fork(`customer ${index}`);
  const name = `customer-${index}`;
  const id = recordId(random);
  const privateKey = random.hex(32);
  const wallet = privateKeyToAccount(privateKey);
  const signer = privateKeyToAccount(random.hex(32));
  const secretId = `/dapp/dev/corp/${name}/wallet`;
  world.secrets.put(secretId, JSON.stringify({ privateKey }));
  world.database.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ($1, $2, $2, $3, $4)`,
    [id, name, secretId, wallet.address],
  );
  if (world.faults.isLimited) limit(world, random, id);
  const endpoints = [
    addEndpoint(world, random, id, name, null),
    addEndpoint(world, random, id, `${name}-own`, ['mint.confirmed', 'mint.failed', ...Object.keys(NOTICES)]),
  ];
  world.chain.deposit(lower(wallet.address), random.chance(0.8) ? 100n * COIN : COIN / 20n);
  world.chain.deposit(lower(signer.address), 1_000n * COIN);
  const forwarder = random.hex(20);
  world.chain.prepare((state) => state.setContract(forwarder, { kind: 'forwarder', nonces: new Map() }));
  insertContract(world, {
    accountId: id,
    id: recordId(random),
    address: forwarder,
    standard: 'Forwarder',
    owner: null,
    forwarder: null,
  });
  const contracts = [
    { standard: '721' as const, owner: lower(wallet.address) },
    { standard: '1155' as const, owner: lower(wallet.address) },
    { standard: '721' as const, owner: lower(signer.address) },
    { standard: '721' as const, owner: lower(wallet.address), isCertificate: true },
  ].map((kind) => addContract(world, random, id, forwarder, { ...kind, holder: lower(signer.address) }));
  if (random.chance(0.5)) {
    world.database.query('update corporate_accounts set approvals_required = true where id = $1', [id]);
  }
  return { name, id, wallet, privateKey, secretId, endpoints, contracts, forwarder, signer };
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

/** The first endpoint of an account is the one that an operator sets; its secret is stored as an earlier version did. */
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
      secret,
    ],
  );
  return { id, eventTypes };
}

function addContract(
  world: World,
  random: Random,
  accountId: string,
  forwarder: Address,
  {
    standard,
    owner,
    holder,
    isCertificate = false,
  }: { standard: '721' | '1155'; owner: Address; holder: Address; isCertificate?: boolean },
): OwnContract {
  const [id, address] = [recordId(random), random.hex(20)];
  const contract: TokenContract = {
    kind: 'token',
    standard,
    isCertificate,
    // Certificates may be burned by their holder and their issuer.
    burnAuth: 2,
    owner,
    forwarder,
    baseUri: '',
    records: new Map(),
    // Tokens that the holder can transfer or burn later.
    holders: new Map(
      standard === '721' ? Array.from({ length: HELD_TOKENS }, (_, token) => [BigInt(token), holder]) : [],
    ),
    balances: new Map(standard === '1155' ? [[`${holder}/0`, HELD_UNITS]] : []),
  };
  world.chain.prepare((state) => state.setContract(address, contract));
  insertContract(world, { accountId, id, address, standard, owner, forwarder, isCertificate });
  return { id, address, standard, owner };
}

function insertContract(
  world: World,
  row: {
    accountId: string;
    id: string;
    address: Address;
    standard: string;
    owner: Address | null;
    forwarder: Address | null;
    isCertificate?: boolean;
  },
): void {
  const isCertificate = row.isCertificate === true;
  const type = row.standard === 'Forwarder' ? null : isCertificate ? 'certificate' : 'standard';
  world.database.query(
    `insert into contracts (id, corporate_account_id, chain_id, name, symbol, alias, erc_standard, contract_type, status,
       current_owner_address, trusted_forwarder, contract_address, burn_auth)
     values ($1, $2, $3, 'Tokens', 'T', 'forwarder', $4, $5, 'ACTIVE', $6, $7, $8, $9)`,
    [
      row.id,
      row.accountId,
      CHAIN_ID,
      row.standard,
      type,
      row.owner,
      row.forwarder,
      row.address,
      isCertificate ? 'both' : null,
    ],
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
  ];
  const { isMoody } = world.faults;
  const chosen = natures
    .filter(({ kind }) => random.chance(isMoody && kind === 'moody' ? 1 : 0.3))
    .map((reception) => ({ reception, address: random.hex(20) }));
  world.chain.prepare((state) => {
    for (const { reception, address } of chosen) state.setContract(address, { kind: 'receiver', reception });
  });
  // Most tokens go to externally owned accounts, or to moody contracts.
  const people = Array.from({ length: isMoody ? 1 : 6 }, () => random.hex(20));
  const moody = chosen.filter(({ reception }) => isMoody && reception.kind === 'moody').map(({ address }) => address);
  return [random.hex(20), ...people, ...chosen.map(({ address }) => address), ...moody, ...moody];
}

/** The operations of customers; those listed more than once are more frequent. */
const OPERATIONS = [
  'mint',
  'mint',
  'mint',
  'mint1155',
  'batch',
  'relay',
  'transfer',
  'burn',
  'revoke',
  'deploy',
  'ownership-transfer',
  'replay',
] as const;

/** The same where most orders are signed requests. */
const SIGNED_OPERATIONS = ['mint', 'batch', 'relay', 'relay', 'transfer', 'burn'] as const;

/** Performs the operations of customers, each request repeated until it has a definitive response. */
export class Customers {
  readonly accepted: Accepted[] = [];
  /** The number of requests without a response: their orders may or may not exist. */
  unheard = 0;
  busy = 0;
  readonly #world: World;
  readonly #random: Random;
  readonly #customers: readonly [Customer, ...Customer[]];
  readonly #receivers: readonly [Address, ...Address[]];
  readonly #forwarderNonces = new Map<string, bigint>();
  /** Whether they cancel some orders. */
  #cancels: boolean;
  #isLate = false;
  #tokens = 1_000;
  #keys = 0;

  constructor(
    world: World,
    customers: readonly [Customer, ...Customer[]],
    receivers: readonly [Address, ...Address[]],
  ) {
    this.#world = world;
    this.#random = world.random.fork('customers');
    this.#cancels = this.#random.chance(0.5);
    this.#customers = customers;
    this.#receivers = receivers;
  }

  /** From now on no order is cancelled or refused: that conflicts with a driver that has read the order. */
  stopCancelling(): void {
    this.#cancels = false;
    this.#isLate = true;
  }

  /** Starts the given number of operations, spread over a period. */
  begin(count: number, milliseconds: number): void {
    const { isImpatient } = this.#world.faults;
    const kinds = (isImpatient ? SIGNED_OPERATIONS : OPERATIONS).filter(
      (kind) => kind === 'mint' || this.#random.chance(0.7),
    );
    for (let index = 0; index < count; index += 1) {
      const kind = this.#random.pickAny(kinds) ?? 'mint';
      const customer = this.#random.pick(this.#customers);
      this.busy += 1;
      this.#world.scheduler.after(this.#random.fraction() * milliseconds, () => {
        void this.#run(kind, customer).finally(() => {
          this.busy -= 1;
        });
      });
    }
  }

  async #run(kind: string, customer: Customer): Promise<void> {
    if (kind === 'mint') return this.#mint(customer, 0);
    if (kind === 'mint1155') return this.#mint(customer, 1);
    if (kind === 'batch') return this.#mintBatch(customer);
    if (kind === 'relay') return this.#relay(customer);
    if (kind === 'transfer') return this.#transfer(customer);
    if (kind === 'burn') return this.#burn(customer);
    if (kind === 'revoke') return this.#revoke(customer);
    if (kind === 'deploy') return this.#deploy(customer);
    return kind === 'replay' ? this.#replay(customer) : this.#transferOwnership(customer);
  }

  async #mintBody(customer: Customer, contract: OwnContract) {
    const metadata = await this.#post(customer, '/metadata', couponInput);
    if (metadata === undefined) return undefined;
    this.#tokens += 1;
    return {
      chainId: CHAIN_ID,
      contractAddress: contract.address,
      tokenId: String(this.#tokens),
      receiverAddress: this.#random.pick(this.#receivers),
      metadataId: String(metadata.body['_id']),
      ...(contract.standard === '1155' ? { amount: this.#random.whole(1, 5) } : {}),
    };
  }

  async #mint(customer: Customer, contractIndex: number): Promise<void> {
    const contract = customer.contracts[contractIndex]!;
    const body = await this.#mintBody(customer, contract);
    if (body === undefined) return;
    const answer = await this.#post(customer, '/minting/order', body);
    this.#accept(customer, 'minting_orders', answer?.body['id']);
  }

  async #mintBatch(customer: Customer): Promise<void> {
    const bodies = await Promise.all(
      Array.from({ length: this.#random.whole(2, 8) }, () => this.#mintBody(customer, customer.contracts[0]!)),
    );
    const orders = bodies.filter((body) => body !== undefined);
    if (orders.length === 0) return;
    const answer = await this.#post(customer, '/minting/orders/batch', { orders });
    const results = (answer?.body['results'] ?? []) as { order?: { id: string } }[];
    for (const { order } of results) this.#accept(customer, 'minting_orders', order?.id);
  }

  /** A mint that the contract's owner signs and the account's wallet pays for. */
  async #relay(customer: Customer): Promise<void> {
    const contract = customer.contracts[2]!;
    const body = await this.#mintBody(customer, contract);
    if (body === undefined) return;
    const data = encodeMint({
      contractAddress: body.contractAddress,
      ercStandard: '721',
      receiverAddress: body.receiverAddress,
      tokenId: body.tokenId,
      amount: 1,
      tokenUri: null,
      metadataHash: null,
    });
    const { fields, request } = await this.#sign(customer, contract.address, data);
    const answer = await this.#post(customer, '/minting/relay', { ...body, ...fields });
    if (answer === undefined) this.#returnNonce(customer, request);
    this.#accept(customer, 'minting_orders', answer?.body['id']);
    this.#maySubmit(
      customer,
      { table: 'minting_orders', id: answer?.body['id'] },
      body.receiverAddress,
      request,
      fields.signature,
    );
  }

  async #transfer(customer: Customer): Promise<void> {
    const contract = customer.contracts[0]!;
    const move = {
      contractAddress: contract.address,
      tokenId: String(this.#random.whole(0, HELD_TOKENS - 1)),
      from: customer.signer.address,
      to: this.#random.pick(this.#receivers),
    };
    const data = encodeTransfer({ ...move, ercStandard: '721', amount: 1 });
    const { fields, request } = await this.#sign(customer, contract.address, data);
    const answer = await this.#post(customer, '/transfer/execute', { chainId: CHAIN_ID, ...move, ...fields });
    if (answer === undefined) this.#returnNonce(customer, request);
    this.#accept(customer, 'transfer_orders', answer?.body['id']);
    this.#maySubmit(customer, { table: 'transfer_orders', id: answer?.body['id'] }, move.to, request, fields.signature);
  }

  /** The holder gives up a token, or some units of one. */
  async #burn(customer: Customer): Promise<void> {
    const { address, standard: ercStandard } = customer.contracts[this.#random.pick([0, 1, CERTIFICATES])]!;
    const is721 = ercStandard === '721';
    const tokenId = is721 ? String(this.#random.whole(0, HELD_TOKENS - 1)) : '0';
    const from = customer.signer.address;
    const amount = is721 ? 1 : this.#random.whole(1, 400);
    const burn = { contractAddress: address, tokenId, from, amount };
    const { fields, request } = await this.#sign(customer, address, encodeBurn({ ...burn, ercStandard }));
    const answer = await this.#post(customer, '/burn/execute', { chainId: CHAIN_ID, ...burn, ...fields });
    if (answer === undefined) this.#returnNonce(customer, request);
    this.#accept(customer, 'burn_orders', answer?.body['id']);
    // Nobody receives anything.
    this.#maySubmit(customer, { table: 'burn_orders', id: answer?.body['id'] }, zeroAddress, request, fields.signature);
  }

  /** The issuer takes a certificate back. */
  async #revoke(customer: Customer): Promise<void> {
    const answer = await this.#post(customer, '/certificates/revoke', {
      chainId: CHAIN_ID,
      contractAddress: customer.contracts[CERTIFICATES]!.address,
      tokenId: String(this.#random.whole(0, HELD_TOKENS - 1)),
      from: customer.signer.address,
      reason: 'Reported stolen',
    });
    this.#accept(customer, 'certificate_revocations', answer?.body['id']);
  }

  async #sign(customer: Customer, to: Address, data: Hex) {
    const { signer, forwarder } = customer;
    const nonce = this.#forwarderNonces.get(customer.name) ?? 0n;
    this.#forwarderNonces.set(customer.name, nonce + 1n);
    const gas = this.#random.pick([200_000n, 500_000n]);
    const request = { from: signer.address, to, value: 0n, gas, nonce, data };
    const signature = await signer.signTypedData(
      forwardRequestTypedData({ chainId: CHAIN_ID, address: forwarder }, request),
    );
    const fields = { from: signer.address, signature, gasLimit: Number(gas), forwarderNonce: String(nonce) };
    return { fields, request };
  }

  /** The nonce of a refused request is used for the next one, or no later one could be executed. */
  #returnNonce({ name }: Customer, { nonce }: ForwardRequest): void {
    if (this.#forwarderNonces.get(name) === nonce + 1n) this.#forwarderNonces.set(name, nonce);
  }

  /**
   * Perhaps the signer does not wait for the service. Sometimes the customer then cancels the order. Not for a receiver that may reject
   * tokens: its order could be FAILED before the signer succeeds.
   */
  #maySubmit(
    customer: Customer,
    order: { readonly table: Accepted['table']; readonly id: unknown },
    receiver: Address,
    request: ForwardRequest,
    signature: Hex,
  ): void {
    const { chain, faults, scheduler } = this.#world;
    if (typeof order.id !== 'string' || chain.head.state.contract(receiver) !== undefined) return;
    if (!faults.happens('signer-submits', faults.isImpatient ? 1 : 0.2)) return;
    this.busy += 1;
    void (async () => {
      const isExecuted = await submitAsSigner(this.#world, this.#random, customer.forwarder, request, signature);
      if (!isExecuted || !this.#random.chance(0.7)) return;
      await scheduler.sleep(this.#random.span(1, 500));
      await this.#post(customer, CANCEL_PATHS[order.table], { id: order.id });
    })().finally(() => {
      this.busy -= 1;
    });
  }

  async #deploy(customer: Customer): Promise<void> {
    const isForwarder = this.#random.chance(0.3);
    const final = this.#random.chance(0.3) ? { transferOwnerAddress: this.#random.hex(20) } : {};
    const answer = isForwarder
      ? await this.#post(customer, '/contracts/forwarder', { chainId: CHAIN_ID, alias: 'another' })
      : await this.#post(customer, '/contracts/deploy', {
          chainId: CHAIN_ID,
          name: 'Collection',
          symbol: 'C',
          ...final,
          ercStandard: this.#random.pick(['721', '1155']),
          contractType: this.#random.pick(['standard', 'certificate']),
        });
    this.#accept(customer, 'contracts', answer?.body['_id']);
    this.#mayDecide(customer, answer?.body['_id'], answer?.body['status']);
  }

  async #transferOwnership(customer: Customer): Promise<void> {
    const { address } = customer.contracts[1]!;
    const body = { chainId: CHAIN_ID, contractAddress: address, newOwnerAddress: this.#random.hex(20) };
    const answer = await this.#post(customer, '/contracts/transfer-ownership', body);
    this.#accept(customer, 'ownership_transfers', answer?.body['jobId']);
    this.#mayDecide(customer, answer?.body['jobId'], answer?.body['status']);
  }

  /** Second persons approve or refuse an order that waits for that, or leave it to expire; two of them may disagree. */
  #mayDecide(customer: Customer, id: unknown, status: unknown): void {
    if (status !== 'WAITING_FOR_APPROVAL' || this.#isLate) return;
    for (let persons = this.#random.pick([0, 1, 1, 2]); persons > 0; persons -= 1) {
      const action = this.#random.chance(0.7) ? 'approve' : 'refuse';
      this.busy += 1;
      this.#world.scheduler.after(this.#random.span(1, 60_000), () => {
        void this.#post(customer, `/approvals/${String(id)}/${action}`, {}).finally(() => {
          this.busy -= 1;
        });
      });
    }
  }

  /** Replays all failed deliveries. */
  async #replay(customer: Customer): Promise<void> {
    await this.#post(customer, '/webhooks/deliveries/replay', { since: '2026-01-01T00:00:00Z' });
  }

  #accept(customer: Customer, table: Accepted['table'], id: unknown): void {
    if (typeof id !== 'string') return;
    this.accepted.push({ table, id });
    if (!this.#cancels || !this.#random.chance(0.25)) return;
    this.busy += 1;
    this.#world.scheduler.after(this.#random.span(1, 60_000), () => {
      void this.#post(customer, CANCEL_PATHS[table], { id }).finally(() => {
        this.busy -= 1;
      });
    });
  }

  /**
   * Repeats a request with the same Idempotency-Key until there is a response. @returns undefined if it was refused or never
   * got a response.
   */
  async #post(customer: Customer, path: string, body: object): Promise<Answer | undefined> {
    this.#keys += 1;
    const key = `key-${this.#keys}`;
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const answer = await this.#world.request(customer.name, 'POST', path, body, key);
      const isRunning = answer?.status === 409 && String(answer.body['message']).includes('still running');
      if (answer !== undefined && answer.status < 500 && answer.status !== 429 && !isRunning) {
        if (answer.status < 300) return answer;
        this.#world.trace.add(`refused ${path} ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
        return undefined;
      }
      await this.#world.scheduler.sleep(this.#random.span(500, 30_000));
    }
    this.unheard += 1;
    return undefined;
  }
}

function recordId(random: Random): string {
  return `019${random.hex(12).slice(5)}`;
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
