import { AsyncLocalStorage } from 'node:async_hooks';
import { scheduler, setTimeout as delay } from 'node:timers/promises';
import { neonConfig } from '@neondatabase/serverless';
import { Pool } from 'pg';
import {
  createTestClient,
  encodeAbiParameters,
  encodeDeployData,
  http,
  keccak256,
  pad,
  parseAbiParameters,
  parseEther,
  parseTransaction,
  publicActions,
  walletActions,
  type Address,
  type Hex,
  type TransactionSerializableEIP1559,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { startAnvil } from '../../stack/anvil.ts';
import { startNeonEndpoint } from '../../stack/stand-ins/neon-endpoint.ts';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { connectDatabase, tenantOf } from '../../src/platform/database/client.ts';
import { parseSettings } from '../../src/platform/env.ts';
import type { LaneContext } from '../../src/engine/lane-context.ts';
import type { AnyOrderKind } from '../../src/engine/order-kind.ts';
import { LaneMemory, type SignedAtStorage } from '../../src/engine/lane-memory.ts';
import { runLane } from '../../src/engine/lane-run.ts';
import { Signal } from '../../src/engine/signal.ts';
import { laneOf } from '../../src/engine/wallet-lane.ts';
import { engineServicesOf } from '../../src/orders/engine-services.ts';
import { orderKinds } from '../../src/orders/kinds.ts';
import type { Services } from '../../src/services.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { withinLimits } from '../../src/limits/within-limits.ts';
import { insertOrders, type NewMintingOrder } from '../../src/orders/mint/minting-orders.store.ts';
import { newId } from '../../src/core/record-id.ts';
import type { Log } from '../../src/core/log.ts';
import { lowerCase } from '../../src/core/lower-case.ts';
import { errorLine, recordError } from '../record/run-record.ts';
import { ownErrorsWith } from '../record/service-errors.ts';
import { newDatabase } from './new-database.ts';

const chainId = '43114';
const receiver: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Intercepts a driver's HTTP request; `next` sends it. */
export type Hook = (
  request: { readonly url: string; readonly body: string },
  next: () => Promise<Response>,
) => Promise<Response>;

/**
 * A driver of a lane as one Worker runs it: with its own memory and clock, and a network that fails as a test
 * specifies.
 */
export interface Driver {
  /** Those of the service that it works for. */
  readonly services: Services;
  readonly context: LaneContext;
  readonly memory: LaneMemory;
  /** By how many milliseconds its clock is put forward. */
  readonly clock: { ahead: number };
  readonly wakes: Signal;
  /** Its logged events. */
  readonly events: { readonly level: string; readonly event: string; readonly fields: Record<string, unknown> }[];
  /** Performs one run. @returns when the next one is due. */
  run(): Promise<number | null>;
  /** Runs until nothing is left to do. @throws if that takes too long. */
  finish(): Promise<void>;
  /** Runs until a condition holds. */
  until(condition: () => Promise<boolean>): Promise<void>;
}

export interface World {
  readonly accountId: string;
  readonly wallet: Address;
  readonly pool: Pool;
  readonly chain: ReturnType<typeof chainClient>;
  /**
   * @param runMs The time limit of a run.
   * @param context In place of the usual one; the log and the clock are the driver's own.
   * @param storage That of its object; absent: it is lost with the driver.
   */
  driver(hook?: Hook, runMs?: number, context?: LaneContext, storage?: SignedAtStorage): Driver;
  /** Runs work whose requests meet a hook, as those of a driver do. */
  within<Result>(hook: Hook, work: () => Promise<Result>): Promise<Result>;
  /**
   * Accepts mints of one unit each, with a distinct ERC-1155 token id.
   * @param fields `madeAt`: the time of the orders' ids. Default: now.
   * @returns the orders' ids.
   */
  acceptMints(
    count: number,
    fields?: { readonly receiverAddress?: Address; readonly erc721?: boolean; readonly madeAt?: Date },
  ): Promise<string[]>;
  /** Checks that each order is CONFIRMED with one event per ending, and its token minted exactly once. */
  expectMintedOnce(ids: readonly string[]): Promise<void>;
  /** The row of an order. */
  order(id: string): Promise<Record<string, unknown>>;
  attempts(id: string): Promise<Record<string, unknown>[]>;
  /** Assigns an owner to an ERC-721 token, so that no mint of it can succeed. */
  takeToken(contract: Address, tokenId: string): Promise<void>;
  /** Sends a transaction of the wallet that this service did not sign. */
  useNonceElsewhere(): Promise<void>;
  /** Has somebody's transaction use the wallet's next nonce, which it has authorized (EIP-7702). */
  useNonceByAuthorization(): Promise<void>;
  /** The bytes of a transaction with other fields, signed with the wallet's key outside this service. */
  signedWith(raw: Hex, fields: Partial<TransactionSerializableEIP1559>): Promise<Hex>;
  /** Makes every waiting transaction due now, as if time had passed. */
  makeDue(): Promise<void>;
  stop(): Promise<void>;
}

/** What Node lacks of the runtime. Nothing stays in this cache of a data center. */
const noCache = { match: async () => undefined, put: async () => {}, delete: async () => false };
Object.assign(globalThis, { scheduler, caches: { default: noCache } });

const hooks = new AsyncLocalStorage<Hook>();
const plainFetch = globalThis.fetch;

function hookedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const hook = hooks.getStore();
  const next = () => plainFetch(input, init);
  const url = input instanceof Request ? input.url : String(input);
  if (hook === undefined) return next();
  const aborted = new Promise<never>((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });
  return Promise.race([hook({ url, body: typeof init?.body === 'string' ? init.body : '' }, next), aborted]);
}

function chainClient(url: string) {
  return createTestClient({ mode: 'anvil', transport: http(url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
}

/** What a driver needs to mint, where third parties may too. */
export function contextThatFinds(
  { context }: Driver,
  findForeignEffect: NonNullable<AnyOrderKind['findForeignEffect']>,
): LaneContext {
  const mint = context.kinds.get('mint');
  if (mint === undefined) throw new Error('There are mints');
  return { ...context, kinds: new Map([...context.kinds, ['mint', { ...mint, findForeignEffect }]]) };
}

/** After which a driver that has not done what it should is taken for stuck: longer than a busy machine needs. */
const LIMIT_MS = 250_000;

/**
 * A database, a chain, and an account with a funded wallet, an ERC-721 and an ERC-1155 contract.
 * @param hasBundles Whether the service has deployed the contracts, so that their mints may share a transaction;
 *   otherwise they are from elsewhere.
 */
export async function startWorld(settings: Readonly<Record<string, string>> = {}, hasBundles = false): Promise<World> {
  const [databaseUrl, anvil] = await Promise.all([newDatabase(), startAnvil({ chainId: Number(chainId) })]);
  const endpoint = await startNeonEndpoint({ databaseUrl, keepsPlans: true });
  const pool = new Pool({ connectionString: databaseUrl });
  const key = generatePrivateKey();
  const signer = privateKeyToAccount(key);
  ownErrorsWith(signer.address.toLowerCase());
  const chain = chainClient(anvil.url);
  await chain.setBalance({ address: signer.address, value: parseEther('1000') });
  globalThis.fetch = hookedFetch;
  const parsed = parseSettings({
    ENVIRONMENT: 'local',
    GLOBAL_SECRET_KEY: 'k'.repeat(32),
    ADMIN_SECRET_KEY: 'a'.repeat(32),
    ENCRYPTION_KEYS: `k.${btoa('k'.repeat(32))}`,
    DATABASE_URL: databaseUrl,
    NEON_FETCH_ENDPOINT: endpoint.url,
    ALLOWED_CHAIN_IDS: chainId,
    // Two names of one node: what can be done twice shares no transaction where a single node says what was done.
    [`RPC_URL_${chainId}`]: hasBundles ? `${anvil.url},${anvil.url}/?second` : anvil.url,
    AWS_REGION: 'r',
    AWS_ACCESS_KEY_ID: 'i',
    AWS_SECRET_ACCESS_KEY: 's',
    ...settings,
  });
  const db = connectDatabase(parsed);
  neonConfig.fetchFunction = hookedFetch;
  const accountId = newId();
  await pool.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ($1, 'c', 'C', 'key', $2)`,
    [accountId, signer.address],
  );
  await pool.query(
    `insert into webhook_endpoints (id, corporate_account_id, managed_by, secret_id, secret)
     values ($1, $2, 'operator', $1, 'whsec_x')`,
    [newId(), accountId],
  );
  const contracts = [];
  for (const ercStandard of ['721', '1155'] as const) {
    const id = newId();
    const data =
      ercStandard === '721'
        ? encodeDeployData({ ...standard721, args: ['T', 'T', signer.address, receiver, '', signer.address, 0n] })
        : encodeDeployData({ ...standard1155, args: ['T', 'T', signer.address, receiver, '', signer.address, 0n] });
    const [rich] = await chain.getAddresses();
    const hash = await chain.sendTransaction({ account: rich as Address, chain: null, data, gas: 5_000_000n });
    const { contractAddress } = await chain.waitForTransactionReceipt({ hash });
    const address = lowerCase(contractAddress ?? '0x');
    await pool.query(
      `insert into contracts (id, corporate_account_id, chain_id, erc_standard, contract_type, status, contract_address, registered_at_block)
         values ($1, $2, $3, $4, 'standard', 'ACTIVE', $5, $6)`,
      [id, accountId, chainId, ercStandard, address, hasBundles ? null : 1],
    );
    contracts.push({ id, address, ercStandard });
  }
  const [erc721, erc1155] = contracts;
  if (erc721 === undefined || erc1155 === undefined) throw new Error('There are two contracts');
  let nextToken = 1;
  const queued: unknown[] = [];

  const world: World = {
    accountId,
    wallet: signer.address,
    pool,
    chain,
    driver(hook, runMs = 500, given, storage) {
      const definition = parsed.chains.get(chainId);
      if (definition === undefined) throw new Error('The chain is allowed');
      const events: Driver['events'] = [];
      const write =
        (level: string) =>
        (event: string, fields: Record<string, unknown> = {}) => {
          events.push({ level, event, fields });
          if (level === 'error')
            recordError(errorLine(event, { walletAddress: signer.address.toLowerCase(), ...fields }));
        };
      const log: Log = { info: write('info'), warn: write('warn'), error: write('error'), with: () => log };
      const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
      /** As the lane's object says; without its storage, as if it had seen all that the database has. */
      const signedAt = async (): Promise<number | null> => {
        if (storage !== undefined) return storage.read() ?? null;
        const { rows } = await pool.query<{ at: Date | null }>('select signed_at as at from lanes');
        return rows[0]?.at?.getTime() ?? null;
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the services that the tests use
      const services = {
        settings: parsed,
        db,
        chains: new Map([[chainId, { definition }]]),
        keys: { loadSigner: () => Promise.resolve(signer) },
        queues: {
          wakeEndpoints: (ids: string[]) => Promise.resolve(void queued.push(...ids)),
          wakeLanes: () => Promise.resolve(),
        },
        lanes: { getByName: () => ({ wake: () => Promise.resolve(), signedAt }) },
        rates: { current: () => Promise.resolve(null) },
        clock,
        log,
      } as unknown as Services;
      const context: LaneContext =
        given === undefined
          ? {
              services: engineServicesOf(services),
              kinds: orderKinds,
              lane: laneOf(chainId, signer.address),
              chain: {
                ...definition,
                rpc: createRpcClient(definition.rpcUrls, { chainId, batchSize: definition.rpcBatch, timeoutMs: 2_000 }),
              },
            }
          : { ...given, services: { ...given.services, clock, log } };
      const memory = new LaneMemory(Date.now(), storage);
      const wakes = new Signal();
      const within = <Result>(work: () => Promise<Result>) => (hook === undefined ? work() : hooks.run(hook, work));
      const driver: Driver = {
        services,
        context,
        memory,
        clock,
        wakes,
        events,
        run: async () => (await within(() => runLane(context, memory, wakes, runMs))).nextAt,
        finish: () =>
          driver.until(async () => {
            const { rows } = await pool.query("select 1 from orders where state in ('waiting', 'signed') limit 1");
            return rows.length === 0;
          }),
        async until(condition) {
          const deadline = Date.now() + LIMIT_MS;
          while (!(await condition())) {
            if (Date.now() > deadline) {
              const { rows } = await pool.query(
                "select kind, state, nonce, hold_reason, hold_detail from orders where state in ('waiting', 'signed') limit 3",
              );
              throw new Error(`It takes too long: ${JSON.stringify({ rows, events: events.slice(-6) })}`);
            }
            const nextAt = await driver.run();
            await delay(Math.min(200, Math.max(5, (nextAt ?? Date.now() + 50) - Date.now())));
          }
        },
      };
      return driver;
    },
    within: (hook, work) => hooks.run(hook, work),
    async acceptMints(count, { receiverAddress = receiver, erc721: isErc721 = false, madeAt } = {}) {
      const contract = isErc721 ? erc721 : erc1155;
      const now = new Date();
      const createdAt = madeAt ?? now;
      const tenant = tenantOf(db, accountId);
      const orders: NewMintingOrder[] = [];
      for (let made = 0; made < count; made += 1) {
        const metadataId = newId();
        await pool.query(
          `insert into metadata (id, corporate_account_id, chain_id, schema_version, standard_fields)
           values ($1, $2, $3, 'v', '{}')`,
          [metadataId, accountId, chainId],
        );
        orders.push({
          id: newId(createdAt.getTime()),
          contractId: contract.id,
          chainId,
          contractAddress: contract.address,
          ercStandard: contract.ercStandard,
          receiverAddress,
          tokenId: String(nextToken),
          amount: 1,
          metadataId,
          tokenUri: null,
          metadataHash: null,
          createdAt,
        });
        nextToken += 1;
      }
      const { services } = world.driver();
      await withinLimits({ ...services, db: tenant, account: { isLimited: true } }, (accepting) =>
        insertOrders(accepting, mintKind, signer.address, orders, now),
      );
      return orders.map(({ id }) => id);
    },
    async expectMintedOnce(ids) {
      for (const id of ids) {
        const { rows } = await pool.query(
          `select o.status, o.token_id, o.erc_standard, o.contract_address, o.receiver_address, o.tx_hash,
             (select count(*)::int from webhook_events e where e.related_order_id = o.id and e.type = 'mint.confirmed') as confirmed,
             (select count(*)::int from webhook_events e where e.related_order_id = o.id and e.type like 'mint.%') as events,
             o.endings
           from orders o where o.id = $1`,
          [id],
        );
        const [row] = rows;
        if (row?.status !== 'CONFIRMED') throw new Error(`Order ${id} is ${JSON.stringify(row)}`);
        if (row.events !== row.endings || row.confirmed < 1)
          throw new Error(`Order ${id} does not have one event per ending: ${JSON.stringify(row)}`);
        const call = { address: row.contract_address as Address };
        const minted =
          row.erc_standard === '721'
            ? (await chain.readContract({
                ...standard721,
                ...call,
                functionName: 'ownerOf',
                args: [BigInt(row.token_id)],
              })) === row.receiver_address
            : (await chain.readContract({
                ...standard1155,
                ...call,
                functionName: 'balanceOf',
                args: [row.receiver_address as Address, BigInt(row.token_id)],
              })) === 1n;
        if (!minted) throw new Error(`The token of order ${id} was not minted exactly once`);
        const receipt = await chain.getTransactionReceipt({ hash: row.tx_hash as Hex });
        if (receipt.status !== 'success') throw new Error(`Order ${id} names a transaction that failed`);
      }
    },
    async order(id) {
      return (await pool.query('select * from orders where id = $1', [id])).rows[0];
    },
    async attempts(id) {
      const { rows } = await pool.query(
        `select a.* from attempts a join orders t on a.transaction_id = coalesce(t.bundle_id, t.id)
         where t.order_id = $1 and t.kind <> 'bundle' order by number`,
        [id],
      );
      return rows;
    },
    async takeToken(contract, tokenId) {
      // OpenZeppelin stores the owners in the mapping at slot 2.
      const slot = keccak256(encodeAbiParameters(parseAbiParameters('uint256, uint256'), [BigInt(tokenId), 2n]));
      await chain.setStorageAt({ address: contract, index: slot, value: pad(receiver) });
      const owner = await chain.readContract({
        ...standard721,
        address: contract,
        functionName: 'ownerOf',
        args: [BigInt(tokenId)],
      });
      if (owner !== receiver) throw new Error('The owners are kept elsewhere');
    },
    async useNonceElsewhere() {
      const [nonce, fees] = await Promise.all([
        chain.getTransactionCount({ address: signer.address }),
        chain.estimateFeesPerGas(),
      ]);
      const transfer = {
        type: 'eip1559',
        to: signer.address,
        gas: 21_000n,
        nonce,
        chainId: Number(chainId),
        ...fees,
      } as const;
      await chain.sendRawTransaction({ serializedTransaction: await signer.signTransaction(transfer) });
    },
    async useNonceByAuthorization() {
      const other = privateKeyToAccount(generatePrivateKey());
      await chain.setBalance({ address: other.address, value: parseEther('1') });
      const nonce = await chain.getTransactionCount({ address: signer.address });
      const fields = { chainId: Number(chainId), nonce };
      const authorization = await signer.signAuthorization({ ...fields, address: other.address });
      const serializedTransaction = await other.signTransaction({
        ...fields,
        type: 'eip7702',
        nonce: 0,
        to: other.address,
        gas: 100_000n,
        authorizationList: [authorization],
        ...(await chain.estimateFeesPerGas()),
      });
      await chain.sendRawTransaction({ serializedTransaction });
    },
    async signedWith(raw, fields) {
      const {
        r: _,
        s: __,
        v: ___,
        yParity: ____,
        ...unsigned
      } = parseTransaction(raw) as TransactionSerializableEIP1559;
      return await signer.signTransaction({ ...unsigned, ...fields });
    },
    async makeDue() {
      await pool.query(`update orders set next_try_at = now() where ${WAITING}`);
    },
    async stop() {
      globalThis.fetch = plainFetch;
      await pool.end();
      await endpoint.stop();
      await anvil.stop();
    },
  };
  return world;
}

/** A condition: waiting. They are locked in the order of their ids, as the service does, which may claim meanwhile. */
export const WAITING = "id in (select id from orders where state = 'waiting' order by id for update)";

/** Runs a driver while blocks are added, until all orders have ended and are final. */
export async function finishFinally({ chain, pool }: World, driver: Driver): Promise<void> {
  await chain.setAutomine(true);
  await driver.until(async () => {
    await chain.mine({ blocks: 1 });
    const { rows } = await pool.query(
      "select 1 from orders where state in ('waiting', 'signed') or state = 'confirmed' and not is_final",
    );
    return rows.length === 0;
  });
}

/** A node that takes no bundle. @param onBundle Called before each is refused. */
export function refusingBundles(onBundle: () => Promise<void> = () => Promise.resolve()): Hook {
  return async ({ body }, next) => {
    const isBundle = [...body.matchAll(/"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"\]/g)].some(
      ([, raw]) => (parseTransaction(String(raw) as Hex).data ?? '0x').length > 700,
    );
    if (!isBundle) return await next();
    await onBundle();
    const calls = JSON.parse(body) as { id: number } | { id: number }[];
    const error = { code: -32_000, message: 'oversized data' };
    const replies = [calls].flat().map(({ id }) => ({ jsonrpc: '2.0', id, error }));
    return Response.json(Array.isArray(calls) ? replies : replies[0]);
  };
}
