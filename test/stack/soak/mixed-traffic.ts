import { setTimeout as delay } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { DEFAULT_CHAIN } from '../../../src/chains/list.ts';
import type { Random } from '../../simulation/world/random.ts';
import type { SoakStack } from './soak-stack.ts';
import type { Resource, TimedRequests } from './timed-requests.ts';

const chainId = DEFAULT_CHAIN.id;
const POLL_MS = 500;
/**
 * Between two operations of one connection, at most: on average a second, so that the load does not follow the speed of
 * the machine.
 */
const PAUSE_MS = 2_000;
/** How many records an account remembers to read again. */
const REMEMBERED = 200;

/** What a connection does next; more frequent ones are named more often. */
const OPERATIONS = [
  ...Array.from({ length: 12 }, () => 'read' as const),
  ...Array.from({ length: 6 }, () => 'mint' as const),
  ...(['batch', 'batch', 'list', 'list', 'list', 'document', 'document', 'view', 'occupancy'] as const),
  ...(['cancel', 'transfer', 'operator', 'status', 'upload', 'endpoint', 'deploy'] as const),
];

const LISTS = [
  '/minting',
  '/minting?status=CONFIRMED&limit=100',
  '/metadata?limit=100',
  '/transfer',
  '/contracts',
  '/webhooks/deliveries?status=SUCCESS',
  '/webhooks/endpoints',
  '/limits',
  '/approvals',
] as const;
const OPERATOR = [
  '/admin/recent-activity',
  '/admin/statistics?hours=1',
  '/admin/wallets',
  '/admin/audit',
  '/status',
] as const;

/** When orders were accepted, and when the webhook of their end arrived: milliseconds since the start. */
interface Journey {
  readonly acceptedAt: number;
  endedAt: number | undefined;
}

/** Mixed requests of one account. */
export class MixedTraffic {
  readonly corporateId: string;
  /** Single mints by id. */
  readonly journeys = new Map<string, Journey>();
  contract = '';
  readonly #stack: SoakStack;
  readonly #requests: TimedRequests;
  readonly #random: Random;
  readonly #orders: string[] = [];
  readonly #minted: { readonly tokenId: string; readonly metadataId: string }[] = [];
  #tokens = 0;
  #isStopped = false;
  #running: Promise<void>[] = [];

  constructor(corporateId: string, stack: SoakStack, requests: TimedRequests, random: Random) {
    this.corporateId = corporateId;
    this.#stack = stack;
    this.#requests = requests;
    this.#random = random;
  }

  /** Deploys what the orders need. */
  async prepare(): Promise<void> {
    await this.#deployed('/contracts/forwarder', { alias: 'soak' });
    this.contract = await this.#deployed('/contracts/deploy', CONTRACT);
  }

  /** Begins to send mixed requests, this many at a time. */
  begin(connections: number): void {
    this.#run(connections, async () => {
      await this.#act(this.#random.pickAny(OPERATIONS) ?? 'read');
      await delay(this.#random.whole(0, PAUSE_MS));
    });
  }

  /** Begins to send batches without a pause, this many at a time. */
  flood(connections: number): void {
    this.#run(connections, () => this.#batch(20));
  }

  /** Begins to order one mint after the other. */
  mintSteadily(): void {
    this.#run(1, async () => {
      await this.#mint();
      await delay(POLL_MS);
    });
  }

  /** Resolves when every request has been answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    this.#running = [];
    this.#isStopped = false;
  }

  /** A webhook has arrived. */
  received(orderId: string): void {
    const journey = this.journeys.get(orderId);
    if (journey !== undefined) journey.endedAt ??= this.#requests.now();
  }

  #run(connections: number, act: () => Promise<void>): void {
    this.#running.push(
      ...Array.from({ length: connections }, async () => {
        while (!this.#isStopped) await act();
      }),
    );
  }

  async #act(operation: (typeof OPERATIONS)[number]): Promise<void> {
    if (operation === 'read')
      await this.#get('/minting/{id}', `/minting/${this.#random.pickAny(this.#orders) ?? '0'.repeat(24)}`, [404]);
    else if (operation === 'mint') await this.#mint();
    else if (operation === 'batch') await this.#batch(5);
    else if (operation === 'list') await this.#list(this.#random.pick(LISTS));
    else if (operation === 'document') await this.#document();
    else if (operation === 'view')
      await this.#post('/contracts/read', { contractAddress: this.contract, method: 'owner', args: [] });
    else if (operation === 'occupancy') await this.#occupancy();
    else if (operation === 'cancel') await this.#cancel();
    else if (operation === 'transfer') await this.#transfer();
    else if (operation === 'operator') await this.#operator(this.#random.pick(OPERATOR));
    else if (operation === 'status') await this.#status();
    else if (operation === 'upload') await this.#upload();
    else if (operation === 'endpoint') await this.#endpoint();
    else await this.#post('/contracts/deploy', CONTRACT);
  }

  async #order(receiverAddress = privateKeyToAddress(generatePrivateKey())) {
    const utility = { type: 'Flexible', data: { status: 'Unused' } };
    const metadata = await this.#post('/metadata', { name: 'Soak', imageUrl: 'https://example.com/s.png', utility });
    if (metadata === undefined) return undefined;
    this.#tokens += 1;
    const metadataId = String(metadata['_id']);
    return { chainId, contractAddress: this.contract, receiverAddress, tokenId: String(this.#tokens), metadataId };
  }

  async #mint(receiver?: `0x${string}`) {
    const order = await this.#order(receiver);
    if (order === undefined) return undefined;
    const acceptedAt = this.#requests.now();
    const accepted = await this.#post('/minting/order', order);
    if (accepted === undefined) return undefined;
    const id = String(accepted['id']);
    this.journeys.set(id, { acceptedAt, endedAt: undefined });
    remember(this.#orders, id);
    remember(this.#minted, order);
    return { id, ...order };
  }

  async #batch(count: number): Promise<void> {
    const orders: object[] = [];
    for (let index = 0; index < count; index += 1) {
      const order = await this.#order();
      if (order !== undefined) orders.push(order);
    }
    if (orders.length > 0) await this.#post('/minting/orders/batch', { orders });
  }

  async #list(path: string): Promise<void> {
    await this.#get(path, path);
  }

  async #document(): Promise<void> {
    const { tokenId } = this.#random.pickAny(this.#minted) ?? {};
    // 404 until the mint is confirmed.
    if (tokenId !== undefined)
      await this.#get('/metadata/{contract}/{token}', `/metadata/${this.contract}/${tokenId}`, [404]);
  }

  async #occupancy(): Promise<void> {
    const known = this.#random.pickAny(this.#minted);
    if (known !== undefined) await this.#post('/minting/occupancy/check', { contractAddress: this.contract, ...known });
  }

  async #cancel(): Promise<void> {
    const order = await this.#mint();
    // 409 if it has ended.
    if (order !== undefined) await this.#post('/minting/cancel', { id: order.id }, [409]);
  }

  /** A new holder gets a token and transfers it without gas. */
  async #transfer(): Promise<void> {
    const privateKey = generatePrivateKey();
    const from = privateKeyToAddress(privateKey);
    const order = await this.#mint(from);
    if (order === undefined || (await this.#ended(`/minting/${order.id}`))?.['status'] !== 'CONFIRMED') return;
    const { contractAddress, tokenId } = order;
    const transfer = { contractAddress, tokenId, from, to: privateKeyToAddress(generatePrivateKey()) };
    const signed = await this.#post('/transfer/signature', { ...transfer, privateKey });
    if (signed !== undefined) await this.#post('/transfer/execute', { ...transfer, signature: signed['signature'] });
  }

  async #operator(path: string): Promise<void> {
    await this.#requests.send(`GET ${path}`, path, { headers: { 'x-admin-secret-key': this.#stack.adminSecret } });
  }

  async #status(): Promise<void> {
    const { metadataId } = this.#random.pickAny(this.#minted) ?? {};
    if (metadataId === undefined) return;
    await this.#post(`/metadata/${metadataId}/status`, { status: 'Redeemed' }, [400, 409], '/metadata/{id}/status');
  }

  async #upload(): Promise<void> {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(PNG)], { type: 'image/png' }), 's.png');
    await this.#requests.send('POST /assets/upload', '/assets/upload', {
      method: 'POST',
      headers: this.#headers(),
      body,
    });
  }

  /** An endpoint that is made and removed again. */
  async #endpoint(): Promise<void> {
    const made = await this.#post('/webhooks/endpoints', {
      url: 'http://127.0.0.1:9/none',
      eventTypes: ['wallet.low'],
    });
    if (made === undefined) return;
    const path = `/webhooks/endpoints/${String(made['id'])}`;
    await this.#requests.send('DELETE /webhooks/endpoints/{id}', path, { method: 'DELETE', headers: this.#headers() });
  }

  async #deployed(path: string, body: object): Promise<string> {
    const accepted = await this.#post(path, body);
    const ended = await this.#ended(`/contracts/${String(accepted?.['_id'])}`);
    if (ended?.['status'] !== 'ACTIVE') throw new Error(`${path} did not succeed: ${JSON.stringify(ended)}`);
    return String(ended['contractAddress']);
  }

  /** The resource once it has ended; undefined when the traffic stops before. */
  async #ended(path: string): Promise<Resource | undefined> {
    const name = path.replace(/[0-9a-f]{24}/, '{id}');
    while (!this.#isStopped) {
      const resource = await this.#get(name, path);
      if (['CONFIRMED', 'ACTIVE', 'FAILED', 'CANCELLED'].includes(String(resource?.['status']))) return resource;
      await delay(POLL_MS);
    }
    return undefined;
  }

  #headers() {
    return { 'x-api-key': this.#stack.apiKey, 'x-corporate-id': this.corporateId };
  }

  #get(name: string, path: string, expected: readonly number[] = []) {
    return this.#requests.send(`GET ${name}`, path, { headers: this.#headers() }, expected);
  }

  #post(path: string, body: object, expected: readonly number[] = [], name = path) {
    const headers = { ...this.#headers(), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ chainId, ...body }) };
    return this.#requests.send(`POST ${name}`, path, init, expected);
  }
}

const CONTRACT = { name: 'Soak', symbol: 'S', ercStandard: '721', contractType: 'standard' };

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

function remember<Value>(list: Value[], value: Value): void {
  list.push(value);
  if (list.length > REMEMBERED) list.shift();
}
