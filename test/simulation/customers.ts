import { type Address, type Hex, encodeFunctionData, zeroAddress } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { SCOPES } from '../../src/platform/database/vocabulary/scope.ts';
import { forwardRequestTypedData, type ForwardRequest } from '../../src/relay/forward-request.ts';
import { encodeBurn } from '../../src/orders/burn/burn-call.ts';
import { encodeMint } from '../../src/orders/mint/mint-call.ts';
import { encodeTransfer } from '../../src/orders/transfer/transfer-call.ts';
import { certificateInput, couponInput } from '../fixtures/metadata-inputs.ts';
import { CERTIFICATES, HELD_TOKENS, type ApiKey, type Customer, type OwnContract } from './customer.ts';
import { submitAsSigner } from './submit-as-signer.ts';
import { Violation, violationOf } from './violation.ts';
import type { Random } from './world/random.ts';
import { CHAIN_ID, METADATA_BASE, type Answer, type World } from './world/world.ts';

/** An order that the service has accepted. */
export interface Accepted {
  readonly resource: Resource;
  readonly id: string;
  /** Who must own the contract in the end, in lower case; of the deployment of a token contract. */
  readonly finalOwner?: Address;
}

/** As the service prepares every revocation: docs/gasless.md. */
const REVOCATION_GAS = 60_000n;
/** Longer than a key is cached. */
const KEY_CACHE_MS = 3_000;
/** How long a customer waits for the end of an order, at most. */
const PATIENCE_MS = 2 * 3_600_000;

const CANCEL_PATHS = {
  'minting-orders': '/minting/cancel',
  'transfer-orders': '/transfer/cancel',
  'burn-orders': '/burn/cancel',
  'certificate-revocations': '/certificates/revoke/cancel',
  'ownership-transfers': '/contracts/transfer-ownership/cancel',
  'chain-notifications': '/chain-notifications/cancel',
  'base-uri-changes': '/contracts/base-uri/cancel',
  contracts: '/contracts/cancel',
} as const;
type Resource = keyof typeof CANCEL_PATHS;

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
  'base-uri',
  'reissue',
  'reissue',
  'notify',
  'replay',
  'register',
  'rotate-key',
] as const;

const MOST_IN_BATCH = 8;
/** The requests that create orders, and the most that each creates. */
const CREATES: ReadonlyMap<string, number> = new Map([
  ['/minting/order', 1],
  ['/minting/orders/batch', MOST_IN_BATCH],
  ['/minting/relay', 1],
  ['/transfer/execute', 1],
  ['/burn/execute', 1],
  ['/certificates/revoke', 1],
  ['/certificates/reissue', 2],
  ['/contracts/deploy', 1],
  ['/contracts/forwarder', 1],
  ['/contracts/base-uri', 1],
  ['/chain-notifications', 1],
]);

/** The same where most orders are signed requests. */
const SIGNED_OPERATIONS = ['mint', 'batch', 'relay', 'relay', 'transfer', 'burn'] as const;

/**
 * Names an order whose cancellation or refusal is asked for: an ownership transfer that follows a deployment has the id
 * of that.
 */
export function withdrawalOf(isOwnershipTransfer: boolean, id: string): string {
  return `${isOwnershipTransfer ? 'transfer' : 'order'} ${id}`;
}

/** Performs the operations of customers, each request repeated until it has a definitive response. */
export class Customers {
  readonly accepted: Accepted[] = [];
  /**
   * The most orders that requests without a definitive response may have created: a reply was lost, and no retry was
   * accepted.
   */
  uncertain = 0;
  busy = 0;
  /** Orders whose cancellation or refusal was requested, perhaps without a response; see {@link withdrawalOf}. */
  readonly opposed = new Set<string>();
  /** Orders that waited for approval when they were accepted, and that nobody has tried to approve. */
  readonly unapproved = new Set<string>();
  /** Those that a second person has approved. */
  readonly approved = new Set<string>();
  /** Orders whose cancellation or refusal was accepted; see {@link withdrawalOf}. */
  readonly #withdrawn: Set<string>;
  readonly #world: World;
  readonly #random: Random;
  readonly #customers: readonly [Customer, ...Customer[]];
  readonly #receivers: readonly [Address, ...Address[]];
  readonly #forwarderNonces = new Map<string, bigint>();
  readonly #apiKeys = new Map<Customer, ApiKey>();
  readonly #report: (violation: Violation) => void;
  /** Whether they cancel some orders. */
  #cancels: boolean;
  #isLate = false;
  #tokens = 1_000;
  #bases = 0;
  #keys = 0;

  constructor(
    world: World,
    customers: readonly [Customer, ...Customer[]],
    receivers: readonly [Address, ...Address[]],
    withdrawn: Set<string>,
    report: (violation: Violation) => void,
  ) {
    this.#withdrawn = withdrawn;
    this.#world = world;
    this.#report = report;
    for (const customer of customers) if (customer.apiKey !== undefined) this.#apiKeys.set(customer, customer.apiKey);
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
    const { isImpatient, isBundling } = this.#world.faults;
    // A key that a database that is set back has lost would be of no use from then on.
    const mayRotate = !this.#world.conditions.has('set back');
    const kinds = (isImpatient ? SIGNED_OPERATIONS : OPERATIONS).filter(
      (kind) => kind === 'mint' || (this.#random.chance(0.7) && (kind !== 'rotate-key' || mayRotate)),
    );
    for (let index = 0; index < count; index += 1) {
      const kind = isBundling && this.#random.chance(0.6) ? 'batch' : (this.#random.pickAny(kinds) ?? 'mint');
      const customer = this.#random.pick(this.#customers);
      this.busy += 1;
      this.#world.scheduler.after(this.#random.fraction() * milliseconds, () => {
        void this.#run(kind, customer)
          .catch((error: unknown) => this.#report(violationOf(error)))
          .finally(() => {
            this.busy -= 1;
          });
      });
    }
  }

  async #run(kind: string, customer: Customer): Promise<void> {
    if (kind === 'mint') return this.#mint(customer, customer.contracts[0]!);
    if (kind === 'mint1155') return this.#mint(customer, customer.contracts[1]!);
    if (kind === 'batch') return this.#mintBatch(customer);
    if (kind === 'relay') return this.#relay(customer);
    if (kind === 'transfer') return this.#transfer(customer);
    if (kind === 'burn') return this.#burn(customer);
    if (kind === 'revoke') return this.#revoke(customer);
    if (kind === 'reissue') return this.#reissue(customer);
    if (kind === 'base-uri') return this.#setBaseUri(customer);
    if (kind === 'deploy') return this.#deploy(customer);
    if (kind === 'notify') return this.#notify(customer);
    if (kind === 'register') return this.#register(customer);
    if (kind === 'rotate-key') return this.#rotateKey(customer);
    return kind === 'replay' ? this.#replay(customer) : this.#transferOwnership(customer);
  }

  async #mintBody(customer: Customer, contract: OwnContract) {
    const metadata = await this.#post(customer, '/metadata', contract.isCertificate ? certificateInput : couponInput);
    if (metadata === undefined) return undefined;
    this.#tokens += 1;
    const tokenId = String(this.#tokens);
    const { _id: metadataId, metadataHash } = metadata.body;
    return {
      chainId: CHAIN_ID,
      contractAddress: contract.address,
      tokenId,
      receiverAddress: this.#random.pick(this.#receivers),
      metadataId: String(metadataId),
      ...(contract.isCertificate && { metadataHash, tokenUri: `${METADATA_BASE}/${contract.address}/${tokenId}` }),
      ...(contract.standard === '1155' ? { amount: this.#random.whole(1, 5) } : {}),
    };
  }

  async #mint(customer: Customer, contract: OwnContract): Promise<void> {
    const body = await this.#mintBody(customer, contract);
    if (body === undefined) return;
    const answer = await this.#post(customer, '/minting/order', body);
    this.#accept(customer, 'minting-orders', answer?.body['id']);
  }

  async #mintBatch(customer: Customer): Promise<void> {
    const contract = customer.contracts[this.#world.faults.isBundling ? this.#random.pick([0, 1]) : 0]!;
    const bodies = await Promise.all(
      Array.from({ length: this.#random.whole(2, MOST_IN_BATCH) }, () => this.#mintBody(customer, contract)),
    );
    const orders = bodies.filter((body) => body !== undefined);
    if (orders.length === 0) return;
    const answer = await this.#post(customer, '/minting/orders/batch', { orders });
    const results = (answer?.body['results'] ?? []) as { order?: { id: string } }[];
    for (const { order } of results) this.#accept(customer, 'minting-orders', order?.id);
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
    const { fields, request } = await this.#sign(customer, contract.address, data, '/minting/prepare', body);
    this.#mayRevoke(customer, request);
    const answer = await this.#post(customer, '/minting/relay', { ...body, ...fields });
    if (answer === undefined) this.#returnNonce(customer, request);
    this.#accept(customer, 'minting-orders', answer?.body['id']);
    this.#maySubmit(
      customer,
      { resource: 'minting-orders', id: answer?.body['id'] },
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
    const body = { chainId: CHAIN_ID, ...move };
    const { fields, request } = await this.#sign(customer, contract.address, data, '/transfer/prepare', body);
    this.#mayRevoke(customer, request);
    const answer = await this.#post(customer, '/transfer/execute', { ...body, ...fields });
    if (answer === undefined) this.#returnNonce(customer, request);
    this.#accept(customer, 'transfer-orders', answer?.body['id']);
    this.#maySubmit(
      customer,
      { resource: 'transfer-orders', id: answer?.body['id'] },
      move.to,
      request,
      fields.signature,
    );
  }

  /** The holder gives up a token, or some units of one. */
  async #burn(customer: Customer): Promise<void> {
    const { address, standard: ercStandard } = customer.contracts[this.#random.pick([0, 1, CERTIFICATES])]!;
    const is721 = ercStandard === '721';
    const tokenId = is721 ? String(this.#random.whole(0, HELD_TOKENS - 1)) : '0';
    const from = customer.signer.address;
    const amount = is721 ? 1 : this.#random.whole(1, 400);
    const burn = { contractAddress: address, tokenId, from, amount };
    const data = encodeBurn({ ...burn, ercStandard });
    const body = { chainId: CHAIN_ID, ...burn };
    const { fields, request } = await this.#sign(customer, address, data, '/burn/prepare', body);
    this.#mayRevoke(customer, request);
    const answer = await this.#post(customer, '/burn/execute', { ...body, ...fields });
    if (answer === undefined) this.#returnNonce(customer, request);
    this.#accept(customer, 'burn-orders', answer?.body['id']);
    // Nobody receives anything.
    this.#maySubmit(
      customer,
      { resource: 'burn-orders', id: answer?.body['id'] },
      zeroAddress,
      request,
      fields.signature,
    );
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
    this.#accept(customer, 'certificate-revocations', answer?.body['id']);
  }

  /**
   * Mints a certificate to a person, and when that is CONFIRMED, reissues it to another one, once or twice. Nobody holds
   * the same certificate again.
   */
  async #reissue(customer: Customer): Promise<void> {
    const minted = await this.#mintBody(customer, customer.contracts[CERTIFICATES]!);
    if (minted === undefined) return;
    const { chainId, contractAddress, tokenId } = minted;
    let from = this.#random.hex(20);
    const answer = await this.#post(customer, '/minting/order', { ...minted, receiverAddress: from });
    this.#accept(customer, 'minting-orders', answer?.body['id']);
    let mintId = String(answer?.body['id']);
    for (let times = this.#random.whole(1, 2); times > 0 && (await this.#isConfirmed(mintId)); times -= 1) {
      const receiverAddress = this.#random.hex(20);
      const token = { chainId, contractAddress, tokenId, from };
      const reissued = await this.#post(customer, '/certificates/reissue', {
        ...token,
        reason: 'Lost',
        receiverAddress,
      });
      const { revocation, mint } = (reissued?.body ?? {}) as Readonly<Record<string, { readonly id: string }>>;
      this.#accept(customer, 'certificate-revocations', revocation?.id);
      this.#accept(customer, 'minting-orders', mint?.id);
      [from, mintId] = [receiverAddress, String(mint?.id)];
    }
  }

  /** Waits until an order has ended. @returns false also if there is none, or it takes too long. */
  async #isConfirmed(id: string): Promise<boolean> {
    const { scheduler, database } = this.#world;
    const until = scheduler.now() + PATIENCE_MS;
    for (let waitMs = 2_000; scheduler.now() < until; waitMs = Math.min(2 * waitMs, 60_000)) {
      const [row] = database.query('select status from orders where order_id = $1', [id]);
      if (row?.['status'] === 'CONFIRMED') return true;
      if (row === undefined || row['status'] === 'FAILED' || row['status'] === 'CANCELLED') return false;
      await scheduler.sleep(waitMs);
    }
    return false;
  }

  /**
   * Of a contract of tokens, one of which another owner may get meanwhile, or of certificates, which is refused; as is
   * one of two at the same time.
   */
  async #setBaseUri(customer: Customer): Promise<void> {
    const { address } = customer.contracts[this.#random.pick([0, 0, 1, 1, CERTIFICATES])]!;
    const order = async () => {
      this.#bases += 1;
      const metadataBaseUri = `https://${this.#bases}.example.com/metadata`;
      const body = { chainId: CHAIN_ID, contractAddress: address, metadataBaseUri };
      const answer = await this.#post(customer, '/contracts/base-uri', body);
      this.#accept(customer, 'base-uri-changes', answer?.body['id']);
    };
    await Promise.all(Array.from({ length: this.#random.pick([1, 1, 2]) }, order));
  }

  /** Signs a call with the signer's next nonce, sometimes with the gas that the service proposes. */
  async #sign(customer: Customer, to: Address, data: Hex, preparing: string, body: object) {
    const { signer } = customer;
    const nonce = this.#forwarderNonces.get(customer.name) ?? 0n;
    this.#forwarderNonces.set(customer.name, nonce + 1n);
    const gas = this.#random.pick([200_000n, 500_000n]);
    const own = { from: signer.address, to, value: 0n, gas, nonce, data };
    const given = { ...body, from: signer.address, forwarderNonce: String(nonce) };
    const prepared = this.#random.chance(0.3) ? await this.#post(customer, preparing, given) : undefined;
    const request = prepared === undefined ? own : this.#preparedRequest(prepared, own);
    const signature = await this.#signature(customer, request);
    return { fields: { ...given, signature, gasLimit: Number(request.gas) }, request };
  }

  /** What the service has prepared, which is what the customer asked for. */
  #preparedRequest({ body }: Answer, own: ForwardRequest): ForwardRequest {
    const shown = body['request'] as Record<keyof ForwardRequest, string>;
    const prepared = { ...own, gas: BigInt(shown.gas) };
    const differs = Object.entries(prepared).filter(
      ([name, value]) => String(value).toLowerCase() !== shown[name as keyof ForwardRequest].toLowerCase(),
    );
    if (differs.length > 0) {
      this.#report(new Violation('what is prepared is what was asked for', JSON.stringify(shown)));
    }
    return prepared;
  }

  #signature({ signer, forwarder }: Customer, request: ForwardRequest): Promise<Hex> {
    return signer.signTypedData(forwardRequestTypedData({ chainId: CHAIN_ID, address: forwarder }, request));
  }

  /** Sometimes the signer gives up a request, at any moment of its order's life, by a request with the same nonce. */
  #mayRevoke(customer: Customer, { nonce }: ForwardRequest): void {
    if (this.#isLate || !this.#random.chance(0.15)) return;
    const { signer, forwarder, contracts } = customer;
    this.busy += 1;
    this.#world.scheduler.after(this.#random.span(1, 60_000), () => {
      void (async () => {
        const data = encodeFunctionData({ abi: minimalForwarder.abi, functionName: 'cancel', args: [nonce] });
        const request = { from: signer.address, to: forwarder, value: 0n, gas: REVOCATION_GAS, nonce, data };
        const answer = await this.#post(customer, '/transfer/execute', {
          purpose: 'cancel',
          chainId: CHAIN_ID,
          contractAddress: contracts[0]!.address,
          from: signer.address,
          forwarderAddress: forwarder,
          forwarderNonce: String(nonce),
          signature: await this.#signature(customer, request),
        });
        this.#accept(customer, 'transfer-orders', answer?.body['id']);
      })().finally(() => {
        this.busy -= 1;
      });
    });
  }

  /** The nonce of a refused request is used for the next one, or no later one could be executed. */
  #returnNonce({ name }: Customer, { nonce }: ForwardRequest): void {
    if (this.#forwarderNonces.get(name) === nonce + 1n) this.#forwarderNonces.set(name, nonce);
  }

  /**
   * Perhaps the signer does not wait for the service. Sometimes the customer then cancels the order. Not for a receiver
   * that may reject tokens: its order could be FAILED before the signer succeeds.
   */
  #maySubmit(
    customer: Customer,
    order: { readonly resource: Resource; readonly id: unknown },
    receiver: Address,
    request: ForwardRequest,
    signature: Hex,
  ): void {
    const { chain, faults, scheduler } = this.#world;
    if (typeof order.id !== 'string' || chain.head.state.contract(receiver) !== undefined) return;
    if (!faults.happens('signer-submits', faults.isImpatient ? 1 : 0.2)) return;
    this.busy += 1;
    void (async () => {
      const { forwarder, signerKey } = customer;
      const isExecuted = await submitAsSigner(this.#world, this.#random, forwarder, request, signature, signerKey);
      if (!isExecuted || !this.#random.chance(0.7)) return;
      // At once, too: a driver may then have read its head before the request was executed.
      await scheduler.sleep(this.#random.span(1, this.#random.pick([20, 500])));
      await this.#cancel(customer, order.resource, String(order.id));
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
    const finalOwner = isForwarder ? undefined : (final.transferOwnerAddress ?? customer.wallets[0].address);
    this.#accept(customer, 'contracts', answer?.body['_id'], finalOwner);
    this.#mayDecide(customer, 'contracts', answer);
  }

  async #transferOwnership(customer: Customer): Promise<void> {
    const { address } = customer.contracts[1]!;
    const body = { chainId: CHAIN_ID, contractAddress: address, newOwnerAddress: this.#random.hex(20) };
    const answer = await this.#post(customer, '/contracts/transfer-ownership', body);
    this.#accept(customer, 'ownership-transfers', answer?.body['jobId']);
    this.#mayDecide(customer, 'ownership-transfers', answer);
  }

  /** Announces that the metadata of a token that was minted has changed: not of a certificate, which never does. */
  async #notify(customer: Customer): Promise<void> {
    const linked = this.#world.database.query(
      `select id from metadata where corporate_account_id = $1 and contract_address is not null and metadata_hash is null order by id`,
      [customer.id],
    );
    const metadataId = this.#random.pickAny(linked)?.['id'];
    if (metadataId === undefined) return;
    const answer = await this.#post(customer, '/chain-notifications', { metadataId });
    this.#accept(customer, 'chain-notifications', answer?.body['id']);
  }

  /** Registers a contract that was deployed without the service, and mints there. */
  async #register(customer: Customer): Promise<void> {
    const { address, standard } = customer.elsewhere;
    const body = { chainId: CHAIN_ID, contractAddress: address, ercStandard: standard, contractType: 'standard' };
    const answer = await this.#post(customer, '/contracts/register', body);
    if (answer !== undefined) await this.#mint(customer, customer.elsewhere);
  }

  /**
   * Replaces the account's own key by a new one, or creates its first one. A key that was revoked is refused two
   * seconds later.
   */
  async #rotateKey(customer: Customer): Promise<void> {
    const before = this.#apiKeys.get(customer);
    const answer = await this.#post(customer, '/keys', { name: 'next', scopes: SCOPES });
    const { id, key: secret } = answer?.body ?? {};
    // A key whose only reply was lost cannot be used.
    if (typeof id !== 'string' || typeof secret !== 'string') return;
    this.#apiKeys.set(customer, { id, secret });
    if (before === undefined) return;
    const revoked = await this.#repeat(customer, 'DELETE', `/keys/${before.id}`);
    if (revoked === undefined) return;
    await this.#world.scheduler.sleep(KEY_CACHE_MS);
    const used = await this.#world.request(customer.name, 'GET', '/keys', { apiKey: before.secret });
    if (used !== undefined && used.status < 300) {
      this.#report(new Violation('a revoked key is refused', before.id));
    }
  }

  /** Second persons approve or refuse an order that waits for that, or leave it to expire; two of them may disagree. */
  #mayDecide(customer: Customer, resource: 'contracts' | 'ownership-transfers', answer: Answer | undefined): void {
    const { _id, jobId = _id, status } = answer?.body ?? {};
    if (status !== 'WAITING_FOR_APPROVAL') return;
    const id = String(jobId);
    this.unapproved.add(id);
    if (this.#isLate) return;
    for (let persons = this.#random.pick([0, 1, 1, 2]); persons > 0; persons -= 1) {
      const action = this.#random.chance(0.7) ? 'approve' : 'refuse';
      this.busy += 1;
      this.#world.scheduler.after(this.#random.span(1, 60_000), () => {
        void this.#decide(customer, id, action, withdrawalOf(resource === 'ownership-transfers', id)).finally(() => {
          this.busy -= 1;
        });
      });
    }
  }

  /** As the second person of the account, if it has one, or as the operator. */
  async #decide(customer: Customer, id: string, action: 'approve' | 'refuse', withdrawal: string): Promise<void> {
    if (action === 'approve') this.unapproved.delete(id);
    else this.opposed.add(withdrawal);
    const { lost } = this.#world;
    const answer = await this.#repeat(customer, 'POST', `/approvals/${id}/${action}`, {}, customer.secondKey);
    if (answer === undefined || lost !== this.#world.lost) return;
    if (action === 'refuse') this.#withdrawn.add(withdrawal);
    else this.approved.add(id);
  }

  /** Replays all failed deliveries. */
  async #replay(customer: Customer): Promise<void> {
    await this.#post(customer, '/webhooks/deliveries/replay', { since: '2026-01-01T00:00:00Z' });
  }

  #accept(customer: Customer, resource: Resource, id: unknown, finalOwner?: Address): void {
    if (typeof id !== 'string') return;
    this.accepted.push({ resource, id, ...(finalOwner === undefined ? {} : { finalOwner }) });
    if (!this.#cancels || !this.#random.chance(0.25)) return;
    this.busy += 1;
    this.#world.scheduler.after(this.#random.span(1, 60_000), () => {
      void this.#cancel(customer, resource, id).finally(() => {
        this.busy -= 1;
      });
    });
  }

  /** Requests an order's cancellation. */
  async #cancel(customer: Customer, resource: Resource, id: string): Promise<void> {
    const withdrawal = withdrawalOf(resource === 'ownership-transfers', id);
    this.opposed.add(withdrawal);
    const { lost } = this.#world;
    const answer = await this.#post(customer, CANCEL_PATHS[resource], { id });
    if (answer !== undefined && lost === this.#world.lost) this.#withdrawn.add(withdrawal);
  }

  /**
   * Repeats a request with the same Idempotency-Key until there is a response. @returns undefined if it was refused or
   * never got a response.
   */
  #post(customer: Customer, path: string, body: object): Promise<Answer | undefined> {
    return this.#repeat(customer, 'POST', path, body);
  }

  /** The same. @param as Whose key is used in place of the account's current one. */
  async #repeat(customer: Customer, method: 'POST' | 'DELETE', path: string, body?: object, as?: ApiKey) {
    this.#keys += 1;
    const idempotencyKey = `key-${this.#keys}`;
    const isLate = this.#isLate;
    const mayCreate = CREATES.get(path) ?? 0;
    let isUncertain = false;
    let before: ApiKey | undefined;
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const used = as ?? this.#apiKeys.get(customer);
      // Idempotency-Keys are the caller's: with another API key it is another request.
      if (isUncertain && used !== before) {
        this.uncertain += mayCreate;
        isUncertain = false;
      }
      before = used;
      const options = { body, idempotencyKey, apiKey: used?.secret };
      const answer = await this.#world.request(customer.name, method, path, options);
      const isRunning = answer?.status === 409 && String(answer.body['message']).includes('still running');
      const isOutdated = answer?.status === 401 && as === undefined && used !== this.#apiKeys.get(customer);
      if (answer !== undefined && answer.status < 500 && answer.status !== 429 && !isRunning && !isOutdated) {
        if (answer.status < 300) return answer;
        this.#world.trace.add(`refused ${path} ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
        if (isUncertain) this.uncertain += mayCreate;
        return undefined;
      }
      if (isLate && !isOutdated) {
        this.#report(new Violation('requests are answered', `${method} ${path}: ${answer?.status ?? 'no response'}`));
      }
      isUncertain ||= answer === undefined || answer.status >= 500;
      await this.#world.scheduler.sleep(this.#random.span(500, 30_000));
    }
    this.uncertain += mayCreate;
    return undefined;
  }
}
