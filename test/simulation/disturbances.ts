import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { useNextRelayer, type Customer, type OwnWallet } from './customer.ts';
import type { FaultEvent, Service } from './world/faults.ts';
import type { Random } from './world/random.ts';
import { CHAIN_ID, type NonceRange, type World } from './world/world.ts';
import { absurdRise } from './world/chain/falsehoods.ts';
import type { Habit } from './world/chain/provider.ts';
import { readTransaction, signTransaction, type Transaction } from './world/chain/transaction.ts';

const GWEI = 1_000_000_000n;
/** In a scarce world, where the chain's cap is 50 times as much. */
const LEAST_TIP = GWEI / 10n;
const COIN = 10n ** 18n;
const THIRD_PARTY_KEY: Hex = `0x${'17'.repeat(32)}`;
const THIRD_PARTY = privateKeyToAccount(THIRD_PARTY_KEY).address.toLowerCase() as Address;
const PROXY: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

/** How long after the last fault fees fall again in a scarce world. */
export const CHEAP_MS = 300_000;
/** How many blocks come at once where finality is late, and how often, once all faults have ended. */
const LEAP_BLOCKS = 20;
const LEAP_MS = 60_000;
/** No request takes longer. */
const SETTLED_MS = 300_000;

const OUTAGES = ['database', 'chain', 'secrets', 'queue', 'webhook', 'object'] as const;

/** Random disturbances while the faults last: failures of the platform and the chain, and actions of third parties. */
export class Disturbances {
  /** Hashes of the wallets' transactions that the product did not sign. */
  readonly foreign = new Set<string>();
  readonly #world: World;
  readonly #customers: readonly [Customer, ...Customer[]];
  readonly #random: Random;
  /**
   * Ids of accounts, and `chain`: what is certainly paused, from the reply to the pause until the request to resume.
   */
  readonly #paused: Set<string>;
  readonly #pausing = new Set<string>();

  constructor(world: World, customers: readonly [Customer, ...Customer[]], paused: Set<string>) {
    this.#world = world;
    this.#paused = paused;
    this.#customers = customers;
    this.#random = world.random.fork('disturbances');
    world.chain.deposit(THIRD_PARTY, 1_000n * COIN);
  }

  begin(): void {
    if (this.#world.conditions.has('scarce')) this.#moveFees(this.#world.random.fork('market'));
    this.#disturb();
  }

  /** Tips and base fees rise and fall, some beyond what the product may offer. */
  #moveFees(random: Random): void {
    const { chain, scheduler, faults, trace } = this.#world;
    scheduler.after(random.span(2_000, 120_000), () => {
      if (faults.healed) return;
      const tip = LEAST_TIP * BigInt(random.whole(1, 60));
      const baseFee = BigInt(Math.round(random.span(1, 300))) * GWEI;
      trace.add(`tip ${tip}, base fee ${baseFee}`);
      this.#onChain(() => {
        chain.setTip(tip);
        chain.setBaseFee(baseFee);
      });
      this.#moveFees(random);
    });
  }

  #disturb(): void {
    this.#world.scheduler.after(this.#random.span(100, 20_000), () => {
      if (this.#world.faults.healed) return;
      for (const [event, act] of Object.entries(this.#acts)) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the events
        if (this.#world.faults.happens(event as FaultEvent)) act();
      }
      this.#disturb();
    });
  }

  /** Lets a third party react to a transaction on its way to the pools. */
  observeSend(raw: unknown): void {
    const { faults, scheduler } = this.#world;
    const transaction = readTransaction(raw as Hex, CHAIN_ID);
    const soon = () => this.#random.span(1, 3_000);
    if (faults.happens('nonce-used-elsewhere', 0.05)) {
      scheduler.after(soon(), () => this.#onChain(() => this.#spendNonce(transaction.from)));
    }
    if (faults.happens('call-copied')) scheduler.after(soon(), () => this.#onChain(() => this.#copy()));
  }

  /** Lets the operator pause while a driver prepares what it has claimed. */
  observeCall(service: Service, label: string): void {
    if (service === 'chain' && label.includes('eth_estimateGas') && this.#world.faults.happens('pause', 0.1)) {
      void this.#pause();
    }
  }

  /** Ends every lasting disturbance. */
  heal(): void {
    const { database, peers, providers, secrets, chain, faults } = this.#world;
    faults.heal();
    peers.heal();
    for (const provider of providers) provider.heal();
    chain.advance(this.#world.scheduler.now());
    chain.halt(0);
    // Attempts signed at lower fees have to be replaced.
    chain.setBaseFee(BigInt(this.#random.whole(25, 200)) * GWEI);
    if (this.#world.conditions.has('scarce')) {
      // What was raised as often as the caps allow waits until both fees fall.
      chain.setTip(LEAST_TIP);
      this.#world.scheduler.after(CHEAP_MS, () => this.#onChain(() => chain.setBaseFee(GWEI)));
    }
    if (this.#world.conditions.has('late finality')) {
      // What was confirmed last is in no block and in no pool: the lane has to notice, however long finality takes.
      peers.reorganize();
      for (const { pool } of peers.nodes) pool.clear();
      this.#leap();
    }
    database.acceptAll();
    for (const { id, wallets } of this.#customers) {
      database.query(`update corporate_accounts set status = 'ACTIVE' where id = $1`, [id]);
      for (const { secretId, privateKey, address } of wallets) {
        secrets.put(secretId, JSON.stringify({ privateKey }));
        chain.deposit(address, 100n * COIN);
      }
    }
    this.#world.scheduler.after(SETTLED_MS, () => {
      this.#paused.clear();
      database.query('update corporate_accounts set paused_at = null');
      database.query('delete from paused_chains');
      database.query('delete from account_limits');
    });
  }

  /** Lets blocks come faster than work is done, until all is final. */
  #leap(): void {
    const { chain, scheduler } = this.#world;
    scheduler.after(LEAP_MS, () => {
      this.#onChain(() => chain.leap(scheduler.now(), LEAP_BLOCKS));
      this.#leap();
    });
  }

  readonly #acts: Readonly<Partial<Record<FaultEvent, () => void>>> = {
    'isolate-dies': () => this.#world.killOne(),
    deployment: () => this.#world.deploy(),
    'object-evicted': () => this.#withObject((name) => this.#world.objects.evict(name)),
    'object-moved': () => this.#withObject((name) => this.#world.objects.move(name)),
    fence: () => {
      this.#world.trace.add('fence');
      this.#world.database.raiseFence(String(this.#world.scheduler.now()));
    },
    'cleanup-twice': () => {
      this.#world.cleanUp();
      this.#world.cleanUp();
    },
    outage: () => {
      const service = this.#random.pick(OUTAGES);
      this.#world.trace.add(`outage: ${service}`);
      this.#world.faults.breakUntil(service, this.#later(1_000, 120_000));
    },
    reorganization: () => this.#onChain(() => this.#world.peers.reorganize()),
    'node-stalls': () => {
      const node = this.#random.pick(this.#world.peers.nodes);
      this.#world.trace.add(`${node.name} stalls`);
      const now = this.#world.scheduler.now();
      node.stalledAt = now;
      this.#world.scheduler.after(this.#random.span(5_000, 300_000), () => {
        if (node.stalledAt === now) node.stalledAt = undefined;
      });
    },
    'node-forgets': () => this.#onChain(() => this.#random.pick(this.#world.peers.nodes).pool.clear()),
    'node-lies': () => this.#world.weakProvider.lieUntil(this.#later(1_000, 60_000)),
    'receipts-late': () => {
      this.#world.trace.add('receipts are late');
      const until = this.#later(4_000, 90_000);
      for (const provider of this.#world.providers) provider.hideReceiptsUntil(until);
    },
    'receipts-old': () => this.#behave('old-receipts', 4_000, 120_000),
    'receipts-partly': () => this.#behave('receipts-partly', 4_000, 90_000),
    'bodies-falsified': () => {
      const until = this.#behave('false-bodies', 4_000, 120_000);
      // Without receipts, a driver reads the bodies to learn who has used its nonces.
      if (this.#random.chance(0.7)) this.#world.weakProvider.hideReceiptsUntil(until);
    },
    'nonce-signed-elsewhere': () => this.#ifSeveral(() => this.#signUnsent(), 2),
    'heads-raised': () => this.#ifSeveral(() => this.#behave('raised-heads', 5_000, 300_000)),
    'counts-raised': () => this.#ifSeveral(() => this.#behave('raised-counts', 5_000, 300_000)),
    'fees-falsified': () => this.#ifSeveral(() => this.#behave('false-fees', 5_000, 300_000)),
    'hashes-falsified': () => this.#ifSeveral(() => this.#behave('false-hashes', 5_000, 300_000)),
    'receipts-falsified': () => this.#ifSeveral(() => this.#behave('false-receipts', 5_000, 300_000)),
    'capital-hex': () => this.#behave('capitals', 1_000, 120_000),
    'absurd-height': () => this.#raiseHeights(),
    'fee-cap': () => this.#capFees(),
    'sends-refused': () => this.#behave('refusal', 1_000, 120_000),
    'provider-absent': () => this.#behave('absent', 5_000, 300_000),
    'provider-strict': () => this.#behave('strict', 5_000, 300_000),
    'provider-lags': () => this.#behave('lag', 5_000, 300_000),
    'writes-rejected': () => this.#rejectOneOrder(),
    'fee-jump': () => {
      const baseFee = BigInt(Math.round(this.#random.span(1, 2_000))) * GWEI;
      this.#onChain(() => this.#world.chain.setBaseFee(baseFee));
      this.#world.trace.add(`base fee ${baseFee}`);
    },
    'blocks-leap': () =>
      this.#onChain(() => this.#world.chain.leap(this.#world.scheduler.now(), this.#random.whole(5, 60))),
    'chain-halts': () => this.#onChain(() => this.#world.chain.halt(this.#later(5_000, 300_000))),
    'nonce-used-elsewhere': () => this.#onChain(() => this.#spendNonce()),
    'call-copied': () => this.#onChain(() => this.#copy()),
    'wallet-drained': () => this.#onChain(() => this.#drain()),
    'key-replaced': () => this.#replaceKey(),
    'relayer-replaced': () => useNextRelayer(this.#world, this.#random.pick(this.#customers)),
    'account-deactivated': () => this.#deactivate(),
    'limit-raised': () => this.#raiseLimit(),
    pause: () => void this.#pause(),
  };

  /**
   * A single provider is believed if it repeats itself: not where its nodes may also lack what the false height
   * implies.
   */
  #raiseHeights(): void {
    const { faults, providers, weakProvider } = this.#world;
    const mayLack = (['reorganization', 'node-stalls', 'provider-lags', 'stale-first-look'] as const).some((event) =>
      faults.has(event),
    );
    const most = providers.length > 2 || !mayLack ? 40 : 1;
    weakProvider.raiseNextHeights(absurdRise(this.#random), this.#random.chance(0.5), this.#random.whole(1, most));
  }

  /** Fewer would be believed. @param least How many it takes to find out. */
  #ifSeveral(act: () => void, least = 3): void {
    if (this.#world.providers.length >= least) act();
  }

  /**
   * Somebody who has the key of a wallet signs a transaction with one of its next nonces, and shows it to the provider
   * that misbehaves alone.
   */
  #signUnsent(): void {
    const { chain, trace, weakProvider } = this.#world;
    const { address, privateKey } = this.#anyWallet();
    const nonce = chain.head.state.account(address).nonce + this.#random.pick([0, 0, 1, 2]);
    trace.add(`nonce ${nonce} of ${address} is signed elsewhere`);
    weakProvider.learn(this.#foreignTransaction({ to: address, data: '0x', gas: 21_000n, nonce }, privateKey));
  }

  /** Has the provider that misbehaves take up a habit. @returns until when. */
  #behave(habit: Habit, least: number, most: number): number {
    const until = this.#later(least, most);
    this.#world.trace.add(`provider: ${habit}`);
    this.#world.weakProvider.behaveUntil(habit, until);
    return until;
  }

  /** The base fee rises, and falls when attempts have been signed that cost more than the cap. */
  #capFees(): void {
    const { chain, scheduler } = this.#world;
    this.#behave('fee-cap', 10_000, 300_000);
    const jump = (gwei: number) => this.#onChain(() => chain.setBaseFee(BigInt(Math.round(gwei)) * GWEI));
    jump(this.#random.span(100, 2_000));
    scheduler.after(this.#random.span(4_000, 60_000), () => jump(this.#random.span(5, 50)));
  }

  #later(least: number, most: number): number {
    return this.#world.scheduler.now() + this.#random.span(least, most);
  }

  #onChain(act: () => void): void {
    this.#world.chain.advance(this.#world.scheduler.now());
    act();
  }

  #withObject(act: (name: string) => void): void {
    const name = this.#random.pickAny(this.#world.objects.names());
    if (name !== undefined) act(name);
  }

  #anyWallet(): OwnWallet {
    return this.#random.pick(this.#random.pick(this.#customers).wallets);
  }

  /** Makes the database reject every write that names one open order. */
  #rejectOneOrder(): void {
    const { database, scheduler, trace } = this.#world;
    const open = database.query(`select order_id as id from orders where state in ('waiting', 'signed') order by 1`);
    const id = this.#random.pickAny(open)?.['id'];
    if (id === null || id === undefined) return;
    trace.add(`writes of ${id} are rejected`);
    database.rejectWritesOf(id);
    scheduler.after(this.#random.span(1_000, 300_000), () => database.acceptAll());
  }

  /** Uses the wallet's key elsewhere, for the next one to three nonces. */
  #spendNonce(from = this.#anyWallet().address): void {
    const next = this.#world.chain.head.state.account(from).nonce;
    this.#useNonces({ wallet: from, from: next, to: next + this.#random.pick([0, 0, 1, 2]) }, '0x');
  }

  /** As docs/operations.md says: by transfers with a byte of data, of which none cancels an order. */
  useUp(nonces: NonceRange): void {
    this.#useNonces(nonces, '0x00');
  }

  #useNonces({ wallet: address, from, to }: NonceRange, data: Hex): void {
    const { chain, trace } = this.#world;
    const wallet = this.#customers.flatMap(({ wallets }) => wallets).find((one) => one.address === address);
    if (wallet === undefined) throw new Error(`${address} is no wallet`);
    for (let nonce = from; nonce <= to; nonce += 1) {
      trace.add(`a foreign transaction uses nonce ${nonce} of ${address}`);
      chain.include(this.#foreignTransaction({ to: address, data, gas: 22_000n, nonce }, wallet.privateKey));
    }
  }

  /** A third party copies the call of a pending transaction and is mined first. */
  #copy(): void {
    const { chain, peers, trace } = this.#world;
    const waiting = peers.nodes.flatMap(({ pool }) => pool.all());
    const isPublic = ({ to }: Transaction) =>
      to === PROXY || (to !== null && chain.head.state.contract(to)?.kind === 'forwarder');
    const chosen = this.#random.pickAny(waiting.filter(isPublic));
    if (chosen === undefined) return;
    const { nonce } = chain.head.state.account(THIRD_PARTY);
    const gas = this.#random.chance(0.8) ? chosen.gas : chosen.gas / 2n;
    trace.add(`a third party copies ${chosen.hash}`);
    chain.include(this.#foreignTransaction({ to: chosen.to, data: chosen.data, gas, nonce }, THIRD_PARTY_KEY));
  }

  #foreignTransaction(fields: Pick<Transaction, 'to' | 'data' | 'gas' | 'nonce'>, privateKey: Hex): Transaction {
    const fees = { maxFeePerGas: 10_000n * GWEI, maxPriorityFeePerGas: 100n * GWEI };
    const transaction = signTransaction({ ...fields, ...fees, value: 0n }, privateKey, CHAIN_ID);
    this.foreign.add(transaction.hash);
    return transaction;
  }

  #drain(): void {
    const { chain, scheduler, trace } = this.#world;
    const { address } = this.#anyWallet();
    const { balance } = chain.head.state.account(address);
    const rest = COIN / 1_000n;
    if (balance <= rest) return;
    trace.add(`${address} is drained`);
    chain.deposit(address, rest - balance);
    scheduler.after(this.#random.span(5_000, 600_000), () => this.#onChain(() => chain.deposit(address, 50n * COIN)));
  }

  #replaceKey(): void {
    const { secrets, scheduler, trace } = this.#world;
    const { secretId, privateKey } = this.#anyWallet();
    trace.add(`${secretId} is replaced`);
    secrets.put(secretId, this.#random.pick(['{}', this.#random.hex(32)]));
    scheduler.after(this.#random.span(1_000, 120_000), () => secrets.put(secretId, JSON.stringify({ privateKey })));
  }

  #deactivate(): void {
    const { database, scheduler, trace } = this.#world;
    const { id, name } = this.#random.pick(this.#customers);
    const set = (status: string) =>
      database.query('update corporate_accounts set status = $2 where id = $1', [id, status]);
    trace.add(`${name} is deactivated`);
    set('INACTIVE');
    scheduler.after(this.#random.span(1_000, 600_000), () => void set('ACTIVE'));
  }

  /** The operator lets an account with limits spend some more. */
  #raiseLimit(): void {
    const wei = (COIN * BigInt(this.#random.whole(1, 30))) / 1_000n;
    this.#world.database.query(
      `update account_limits set limits = jsonb_set(limits, array['spend', $2::text, 'perDay'],
         to_jsonb(((limits->'spend'->$2::text->>'perDay')::numeric + $3::numeric)::text)) where corporate_account_id = $1`,
      [this.#random.pick(this.#customers).id, CHAIN_ID, String(wei)],
    );
  }

  /** The operator pauses an account or the chain for a while, and retries resuming until there is a reply. */
  async #pause(): Promise<void> {
    const { scheduler } = this.#world;
    const { id, name } = this.#random.pick(this.#customers);
    const [paused, path] = this.#random.chance(0.3)
      ? (['chain', `/admin/chains/${CHAIN_ID}`] as const)
      : ([id, `/admin/accounts/${name}`] as const);
    if (this.#pausing.has(paused)) return;
    this.#pausing.add(paused);
    const { lost } = this.#world;
    const isPaused = await this.#operate(`${path}/pause`);
    if (isPaused && lost === this.#world.lost) this.#paused.add(paused);
    await scheduler.sleep(this.#random.span(1_000, 600_000));
    this.#paused.delete(paused);
    let tries = 1;
    for (; !(await this.#operate(`${path}/resume`)); tries += 1) await scheduler.sleep(SETTLED_MS);
    // Earlier requests without a reply have had their effect by then.
    if (!isPaused || tries > 1) await scheduler.sleep(SETTLED_MS);
    this.#pausing.delete(paused);
  }

  async #operate(path: string): Promise<boolean> {
    return (await this.#world.request('operator', 'POST', path))?.status === 200;
  }
}
