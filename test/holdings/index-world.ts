import { BaseError, pad, type Abi, type Address, type ContractFunctionParameters, type Hex } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { rebuildIndex } from '../../cli/holdings/rebuild-index.ts';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { indexTransfers } from '../../src/holdings/index-transfers.ts';
import { startWorld, type Driver, type Hook, type World } from '../engine/lane-world.ts';

const CHAIN = '43114';
/** Where the contracts store their owners. */
const OWNER_SLOTS = { '721': 6, '1155': 3 };

/** A call that changes something, as other tools make it. */
type Write = ContractFunctionParameters<Abi, 'nonpayable'>;

export interface IndexWorld extends Pick<World, 'chain' | 'pool' | 'accountId' | 'wallet' | 'stop'> {
  readonly erc721: Address;
  readonly erc1155: Address;
  /** Of the contracts, but while the service mints: another tool, which uses no nonce of the service's wallet. */
  readonly owner: Address;
  readonly holders: readonly Address[];
  /** Who gets what the service mints. */
  readonly receiver: Address;
  /** What runs of the index have logged. */
  readonly events: Driver['events'];
  /**
   * Runs the minutely job.
   * @param hook Meets its requests.
   * @param nodes How many nodes the chain has: names of one, told apart by `?node=1` and so on.
   */
  index(hook?: Hook, nodes?: number): Promise<void>;
  /** Removes the index of a contract, or of the chain, so that the next run builds it again. */
  rebuild(contractAddress?: Address): Promise<void>;
  /** Sends a transaction of another tool, and waits for its block. */
  readonly write: (from: Address, call: Write) => Promise<void>;
  /** Mints units of new tokens of the ERC-1155 contract by orders. @returns their ids. */
  mintByService(count: number): Promise<string[]>;
  ownerOf(tokenId: bigint): Promise<Address | undefined>;
  balanceOf(holder: Address, tokenId: bigint): Promise<bigint>;
  /** `contract token holder amount` of each holding, sorted. */
  held(): Promise<string[]>;
  /** What the tables of the index have. */
  rows(): Promise<{ transfers: unknown[]; holdings: unknown[]; owners: unknown[] }>;
  ownerOfContract(address: Address): Promise<string | undefined>;
  /** The data of the events `token.transferred`, oldest first. */
  notices(): Promise<Record<string, unknown>[]>;
}

/** A world of the engine's tests, with the index of its transfers, and other tools that hold and move tokens. */
export async function startIndexWorld(settings: Readonly<Record<string, string>> = {}): Promise<IndexWorld> {
  const world = await startWorld(settings);
  const { chain, pool, accountId, wallet } = world;
  const { rows } = await pool.query('select contract_address, erc_standard from contracts order by erc_standard');
  const [erc1155, erc721] = rows.map((row): Address => row.contract_address);
  if (erc1155 === undefined || erc721 === undefined) throw new Error('There are two contracts');
  await pool.query(
    `insert into webhook_endpoints (id, corporate_account_id, managed_by, secret_id, secret, event_types)
     values ('ffffffffffffffffffffffff', $1, 'account', 'ffffffffffffffffffffffff', 'whsec_x', array['token.transferred'])`,
    [accountId],
  );
  const [owner = erc721, ...holders] = (await chain.getAddresses()).slice(2, 7);
  /** Without an event: what the tests see of owners is what other tools do. */
  const setOwner = async (address: Address) => {
    const slots = [
      [erc721, OWNER_SLOTS['721']],
      [erc1155, OWNER_SLOTS['1155']],
    ] as const;
    for (const [contract, index] of slots) {
      await chain.setStorageAt({ address: contract, index, value: pad(address) });
      const set = await chain.readContract({ ...standard721, address: contract, functionName: 'owner' });
      if (set !== address) throw new Error('The owner is kept elsewhere');
    }
  };
  await setOwner(owner);
  const driver = world.driver();
  const { chain: definition } = driver.context;
  const { services } = driver;
  const rowsOf = async (table: string, order: string) =>
    (await pool.query(`select * from ${table} order by ${order}`)).rows;
  const nodeUrl = services.settings.chains.get(CHAIN)?.rpcUrls[0] ?? '';
  const db = (await pool.query('select current_database() as name')).rows[0].name;
  const databaseUrl = new URL(`/${db}`, services.settings.DATABASE_URL).href;

  return {
    ...world,
    erc721,
    erc1155,
    owner,
    holders,
    receiver: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    events: driver.events,
    index: async (hook = (_, next) => next(), nodes = 1) => {
      const urls = Array.from({ length: nodes }, (_, index) => `${nodeUrl}/?node=${index + 1}`);
      // A new client for each run, as each invocation of the Worker has.
      const rpc = createRpcClient(urls, { chainId: CHAIN, batchSize: 1_000, timeoutMs: 5_000 });
      const chains = new Map([[CHAIN, { id: CHAIN, definition, rpc }]]);
      await world.within(hook, () => indexTransfers({ ...services, chains }));
    },
    rebuild: async (contractAddress) => {
      await rebuildIndex(databaseUrl, { chainId: CHAIN, contractAddress, fromBlock: 0 });
    },
    write: async (account, call) => {
      const hash = await chain.writeContract({ ...call, account, chain: null });
      const { status } = await chain.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error(`${call.functionName} reverts`);
    },
    async mintByService(count) {
      await setOwner(wallet);
      const orders = await world.acceptMints(count);
      await driver.until(async () => {
        await chain.mine({ blocks: 1 });
        const { rows: open } = await pool.query("select 1 from orders where state in ('waiting', 'signed')");
        return open.length === 0;
      });
      await setOwner(owner);
      const minted = await pool.query('select token_id from orders where id = any($1)', [orders]);
      return minted.rows.map((row) => row.token_id);
    },
    async ownerOf(tokenId) {
      try {
        return await chain.readContract({ ...standard721, address: erc721, functionName: 'ownerOf', args: [tokenId] });
      } catch (error) {
        // No such token.
        if (error instanceof BaseError) return undefined;
        throw error;
      }
    },
    balanceOf: (holder, tokenId) =>
      chain.readContract({ ...standard1155, address: erc1155, functionName: 'balanceOf', args: [holder, tokenId] }),
    async held() {
      const result = await pool.query('select * from holdings where amount > 0');
      return result.rows.map((row) => `${row.contract_address} ${row.token_id} ${row.holder} ${row.amount}`).toSorted();
    },
    async rows() {
      return {
        transfers: await rowsOf('token_transfers', 'block_number, log_index, position'),
        holdings: await rowsOf('holdings', 'contract_id, token_id, holder'),
        owners: await rowsOf('contract_owners', 'block_number, log_index'),
      };
    },
    async ownerOfContract(address) {
      const result = await pool.query(
        `select o.owner from contract_owners o join indexed_contracts i on i.contract_id = o.contract_id
         where i.contract_address = $1 order by block_number desc, log_index desc limit 1`,
        [address],
      );
      return result.rows[0]?.owner;
    },
    async notices() {
      const result = await pool.query(
        "select payload from webhook_events where type = 'token.transferred' order by id",
      );
      return result.rows.map((row) => JSON.parse(row.payload).data);
    },
  };
}

/** A call to the chain. */
interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The filter of a call of `eth_getLogs`. */
export interface Filter {
  readonly address: readonly Address[];
  /** Both are quantities in hex. */
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
}

/** The filter of a call, if it asks for logs. */
export function filterOf({ method, params: [filter] }: Call): Filter | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the index asks
  return method === 'eth_getLogs' ? (filter as Filter) : undefined;
}

/** Passes requests on, and keeps the calls to the chain that are in them. */
export function watchingCalls(): { readonly hook: Hook; readonly calls: Call[] } {
  const calls: Call[] = [];
  return {
    calls,
    hook: ({ body }, next) => {
      calls.push(...callsIn(body));
      return next();
    },
  };
}

/** A node that says something else of logs: what `answer` returns, or what is true where that is undefined. */
export function nodeThatSays(
  answer: (filter: Filter, truth: unknown[]) => object | undefined,
  isIt: (url: string) => boolean = () => true,
): Hook {
  return async ({ url, body }, next) => {
    const calls = callsIn(body);
    const response = await next();
    if (!isIt(url) || !calls.some((call) => filterOf(call) !== undefined)) return response;
    const parsed: unknown = await response.json();
    const replies = listOf(parsed).map((reply) => {
      const filter = calls.flatMap((call) => (call.id === reply.id ? (filterOf(call) ?? []) : []))[0];
      const other = filter && answer(filter, reply.result);
      return other === undefined ? reply : { jsonrpc: '2.0', id: reply.id, ...other };
    });
    return Response.json(Array.isArray(parsed) ? replies : replies[0]);
  };
}

/** The JSON-RPC calls of a request; none if it is one to the database. */
function callsIn(body: string): readonly Call[] {
  return listOf(JSON.parse(body)).filter(({ jsonrpc }) => jsonrpc === '2.0');
}

/** What JSON-RPC sends alone or as a batch. */
function listOf(json: unknown): readonly Message[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the index and anvil say to each other
  return (Array.isArray(json) ? json : [json]) as Message[];
}

/** A call, or the reply to one; of a request to the database neither. */
interface Message extends Call {
  readonly jsonrpc?: string;
  readonly result: unknown[];
}
