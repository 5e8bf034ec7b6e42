import { setTimeout as delay } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { StackInfo } from '../../../cli/local-stack/stack-files.ts';
import type { Random } from '../../simulation/world/random.ts';

const resourceSchema = z.record(z.string(), z.unknown());
type Resource = z.output<typeof resourceSchema>;

const REQUEST_MS = 30_000;
const RETRY_MS = 500;
/** The requests in progress at once. */
const CLIENTS = 6;

const CANCEL_PATHS = {
  'minting-orders': '/minting/cancel',
  'transfer-orders': '/transfer/cancel',
  'ownership-transfers': '/contracts/transfer-ownership/cancel',
  contracts: '/contracts/cancel',
} as const;
type OrderResource = keyof typeof CANCEL_PATHS;

/** What customers order, one more often than the other. */
const OPERATIONS = [
  'mint',
  'mint',
  'mint',
  'batch',
  'batch',
  'amount',
  'transfer',
  'transfer',
  'deploy',
  'ownership',
] as const;

/** Mixed orders of one account, each request repeated with the same Idempotency-Key until it is answered. */
export class Load {
  readonly accepted: { readonly resource: OrderResource; readonly id: string }[] = [];
  readonly #chainId: string;
  readonly #random: Random;
  readonly #stack: () => StackInfo;
  #single = '';
  #amounts = '';
  #tokens = 0;
  #keys = 0;
  #isStopped = false;
  #running: readonly Promise<void>[] = [];

  /** @param stack The stack as it runs now: its address changes with each start. */
  constructor(chainId: string, random: Random, stack: () => StackInfo) {
    this.#chainId = chainId;
    this.#random = random;
    this.#stack = stack;
  }

  /** Deploys what the orders need. */
  async prepare(webhookUrl: string): Promise<void> {
    await this.#post('/webhooks/endpoints', { url: webhookUrl });
    await this.#deployed('/contracts/forwarder', { alias: 'soak' });
    this.#single = await this.#deployed('/contracts/deploy', this.#contract('721'));
    this.#amounts = await this.#deployed('/contracts/deploy', this.#contract('1155'));
  }

  begin(): void {
    this.#running = Array.from({ length: CLIENTS }, async () => {
      while (!this.#isStopped) {
        await this.#act(this.#random.pick(OPERATIONS));
        await delay(this.#random.span(20, 1_000));
      }
    });
  }

  /** Resolves when every request has been answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #act(operation: (typeof OPERATIONS)[number]): Promise<void> {
    if (operation === 'mint') await this.#mint(this.#single, {}, privateKeyToAddress(generatePrivateKey()));
    else if (operation === 'amount') await this.#mint(this.#amounts, { amount: this.#random.whole(1, 5) });
    else if (operation === 'batch') await this.#batch();
    else if (operation === 'transfer') await this.#transfer();
    else if (operation === 'ownership') await this.#transferOwnership();
    else {
      this.#accept('contracts', (await this.#post('/contracts/deploy', this.#contract('721')))?.['_id']);
    }
  }

  #contract(ercStandard: '721' | '1155') {
    return { name: 'Soak', symbol: 'S', ercStandard, contractType: 'standard' };
  }

  async #deployed(path: string, body: object): Promise<string> {
    const accepted = await this.#post(path, body);
    this.#accept('contracts', accepted?.['_id'], false);
    const resource = await this.#ended(`/contracts/${String(accepted?.['_id'])}`);
    return String(resource['contractAddress']);
  }

  async #order(contractAddress: string, receiverAddress: string) {
    const utility = { type: 'Flexible', data: {} };
    const metadata = await this.#post('/metadata', { name: 'Soak', imageUrl: 'https://example.com/s.png', utility });
    this.#tokens += 1;
    const { _id: metadataId } = metadata ?? {};
    return { chainId: this.#chainId, contractAddress, receiverAddress, tokenId: String(this.#tokens), metadataId };
  }

  async #mint(contract: string, more: object, receiver = privateKeyToAddress(generatePrivateKey())): Promise<void> {
    const order = await this.#order(contract, receiver);
    this.#accept('minting-orders', (await this.#post('/minting/order', { ...order, ...more }))?.['id']);
  }

  async #batch(): Promise<void> {
    const receiver = privateKeyToAddress(generatePrivateKey());
    const count = this.#random.whole(2, 20);
    const orders = await Promise.all(Array.from({ length: count }, () => this.#order(this.#single, receiver)));
    const reply = await this.#post('/minting/orders/batch', { orders });
    const results = (reply?.['results'] ?? []) as readonly { readonly order?: { readonly id: string } }[];
    for (const { order } of results) this.#accept('minting-orders', order?.id);
  }

  /** A new holder gets a token and transfers it without gas. */
  async #transfer(): Promise<void> {
    const privateKey = generatePrivateKey();
    const from = privateKeyToAddress(privateKey);
    const order = await this.#order(this.#single, from);
    const mint = await this.#post('/minting/order', order);
    this.#accept('minting-orders', mint?.['id'], false);
    if ((await this.#ended(`/minting/${String(mint?.['id'])}`))['status'] !== 'CONFIRMED') return;
    const { contractAddress, tokenId } = order;
    const transfer = { contractAddress, tokenId, from, to: privateKeyToAddress(generatePrivateKey()) };
    const signed = await this.#post('/transfer/signature', { ...transfer, privateKey });
    const accepted = await this.#post('/transfer/execute', { ...transfer, signature: signed?.['signature'] });
    this.#accept('transfer-orders', accepted?.['id']);
  }

  /** Deploys a contract and gives it away. */
  async #transferOwnership(): Promise<void> {
    const contractAddress = await this.#deployed('/contracts/deploy', this.#contract('721'));
    const newOwnerAddress = privateKeyToAddress(generatePrivateKey());
    const accepted = await this.#post('/contracts/transfer-ownership', { contractAddress, newOwnerAddress });
    this.#accept('ownership-transfers', accepted?.['jobId']);
  }

  #accept(resource: OrderResource, id: unknown, mayCancel = true): void {
    if (typeof id !== 'string') return;
    this.accepted.push({ resource, id });
    if (mayCancel && this.#random.chance(0.1)) void this.#post(CANCEL_PATHS[resource], { id });
  }

  async #ended(path: string): Promise<Resource> {
    for (;;) {
      const resource = await this.#request('GET', path);
      if (['CONFIRMED', 'ACTIVE', 'FAILED', 'CANCELLED'].includes(String(resource?.['status']))) return resource ?? {};
      await delay(RETRY_MS);
    }
  }

  async #post(path: string, body: object): Promise<Resource | undefined> {
    this.#keys += 1;
    return await this.#request('POST', path, { chainId: this.#chainId, ...body }, `soak-${this.#keys}`);
  }

  /** Repeats a request until it has a definitive answer. @returns undefined if it was refused. */
  async #request(method: string, path: string, body?: object, key?: string): Promise<Resource | undefined> {
    for (;;) {
      const { baseUrl, apiKey, corporateId } = this.#stack();
      try {
        const reply = await fetch(`${baseUrl}${path}`, {
          method,
          headers: {
            'x-api-key': apiKey,
            'x-corporate-id': corporateId,
            'content-type': 'application/json',
            ...(key === undefined ? {} : { 'idempotency-key': key }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(REQUEST_MS),
        });
        const text = await reply.text();
        if (reply.ok) return resourceSchema.parse(JSON.parse(text));
        const isRepeatable = reply.status >= 500 || reply.status === 429 || text.includes('still running');
        if (!isRepeatable) {
          if (reply.status !== 409) console.log(`${method} ${path} returned ${reply.status}: ${text.slice(0, 300)}`);
          return undefined;
        }
      } catch {
        // The service is down.
      }
      await delay(RETRY_MS);
    }
  }
}
