import { Client as Postgres } from 'pg';
import {
  createPublicClient,
  erc721Abi,
  getAbiItem,
  http,
  isAddressEqual,
  parseAbi,
  zeroAddress,
  type Address,
  type PublicClient,
} from 'viem';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import type { StackInfo } from '../../../cli/local-stack/stack-files.ts';

/** The work that is left: unfinished transactions and deliveries. */
export async function countUnfinished({ databaseUrl }: Pick<StackInfo, 'databaseUrl'>): Promise<number> {
  return await withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query<{ count: string }>(
      `select (select count(*) from orders where state in ('waiting', 'signed'))
         + (select count(*) from webhook_deliveries where status in ('PENDING', 'RETRYING')) as count`,
    );
    return Number(rows[0]?.count);
  });
}

/** The bytes that the database takes. */
export async function databaseSize({ databaseUrl }: Pick<StackInfo, 'databaseUrl'>): Promise<number> {
  return await withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
    return Number(rows[0]?.bytes);
  });
}

/**
 * Compares what the database says with the chain, one to one, when no work is left.
 * @returns each difference in words.
 */
export async function differencesOf(
  { databaseUrl, rpcUrls, walletAddress }: StackInfo,
  chainId: string,
): Promise<string[]> {
  // All logs are one reply, of a node of our own.
  const transport = http(rpcUrls[chainId], { batch: true, maxResponseBodySize: false });
  const chain = createPublicClient({ transport });
  return await withDatabase(databaseUrl, async (database) => [
    ...(await transactionDifferences(database, chain, walletAddress as Address)),
    ...(await tokenDifferences(database, chain)),
    ...(await contractDifferences(database, chain)),
    ...(await eventDifferences(database)),
  ]);
}

/**
 * Every mined transaction of the wallet is an attempt, every nonce has one, and an order has at most one mined effect.
 */
async function transactionDifferences(database: Postgres, chain: PublicClient, wallet: Address): Promise<string[]> {
  const mined = await minedBy(chain, wallet);
  const { rows } = await database.query<Row>(
    `select t.id, t.state, t.tx_hash, t.block_hash, a.hash, a.purpose, a.nonce
     from attempts a join orders t on t.id = a.transaction_id where t.wallet_address = $1`,
    [wallet.toLowerCase()],
  );
  const known = new Set(rows.map(({ hash }) => hash));
  const effects = Map.groupBy(
    rows.filter(({ hash, purpose }) => purpose === 'effect' && mined.get(String(hash))?.succeeded === true),
    ({ id }) => id,
  );
  const stateOf = new Map(rows.map(({ id, state }) => [id, state]));
  return [
    ...[...mined.keys()].filter((hash) => !known.has(hash)).map((hash) => `${hash} is mined and not stored`),
    ...[...effects].filter(([, own]) => own.length > 1).map(([id]) => `transaction ${id} has two mined effects`),
    ...[...effects].flatMap(([id]) =>
      stateOf.get(id) === 'confirmed' ? [] : [`transaction ${id} is ${stateOf.get(id)}, but mined`],
    ),
    ...rows
      .filter(({ state, tx_hash: hash }) => state === 'confirmed' && hash !== null)
      .filter(({ tx_hash: hash, block_hash: block }) => mined.get(String(hash))?.block !== block)
      .map(({ id, tx_hash: hash }) => `transaction ${id} is confirmed by ${hash}, which its block does not have`),
  ];
}

interface MinedTransaction {
  readonly block: string;
  readonly succeeded: boolean;
}

async function minedBy(chain: PublicClient, wallet: Address): Promise<Map<string, MinedTransaction>> {
  const head = await chain.getBlockNumber();
  const mined = new Map<string, MinedTransaction>();
  for (let blockNumber = 0n; blockNumber <= head; blockNumber += 1n) {
    const { transactions, hash: block } = await chain.getBlock({ blockNumber, includeTransactions: true });
    for (const { hash } of transactions.filter(({ from }) => isAddressEqual(from, wallet))) {
      const { status } = await chain.getTransactionReceipt({ hash });
      mined.set(hash, { block, succeeded: status === 'success' });
    }
  }
  return mined;
}

/** Exactly the tokens of CONFIRMED orders exist, and those that were transferred belong to their receivers. */
async function tokenDifferences(database: Postgres, chain: PublicClient): Promise<string[]> {
  const ordered = await textsOf(
    database,
    `select lower(contract_address) || ' ' || token_id || ' ' || amount from orders
     where resource = 'minting-orders' and status = 'CONFIRMED'`,
  );
  const range = { fromBlock: 0n, toBlock: 'latest' } as const;
  const single = await chain.getLogs({
    ...range,
    event: getAbiItem({ abi: erc721Abi, name: 'Transfer' }),
    strict: true,
  });
  const amounts = await chain.getLogs({
    ...range,
    event: getAbiItem({ abi: standard1155.abi, name: 'TransferSingle' }),
    strict: true,
  });
  const minted = [
    ...single.map(({ address, args: { from, tokenId } }) => ({ address, from, tokenId, amount: 1n })),
    ...amounts.map(({ address, args: { from, id, value } }) => ({ address, from, tokenId: id, amount: value })),
  ]
    .filter(({ from }) => from === zeroAddress)
    .map(({ address, tokenId, amount }) => `${address.toLowerCase()} ${tokenId} ${amount}`);
  const { rows: transfers } = await database.query<Row>(
    `select contract_address, token_id, receiver_address from orders where kind = 'transfer' and status = 'CONFIRMED'`,
  );
  const misplaced = await Promise.all(
    transfers.map(async ({ contract_address: address, token_id: tokenId, receiver_address: to }) => {
      const args = [BigInt(String(tokenId))] as const;
      const owner = await chain.readContract({
        address: address as Address,
        abi: erc721Abi,
        functionName: 'ownerOf',
        args,
      });
      return isAddressEqual(owner, to as Address)
        ? []
        : [`token ${tokenId} of ${address} belongs to ${owner}, not to ${to}`];
    }),
  );
  return [
    ...missing(ordered, minted).map((token) => `${token} is CONFIRMED and not minted`),
    ...missing(minted, ordered).map((token) => `${token} is minted and not CONFIRMED, or minted twice`),
    ...misplaced.flat(),
  ];
}

/** What of the first list the second lacks; each occurrence counts. */
function missing(these: readonly string[], those: readonly string[]): string[] {
  const rest = new Map<string, number>();
  for (const one of those) rest.set(one, (rest.get(one) ?? 0) + 1);
  return these.filter((one) => {
    const left = rest.get(one) ?? 0;
    rest.set(one, left - 1);
    return left <= 0;
  });
}

/** Every ACTIVE contract exists and belongs to whom the last CONFIRMED transfer gave it. */
async function contractDifferences(database: Postgres, chain: PublicClient): Promise<string[]> {
  const { rows } = await database.query<Row>(
    `select c.contract_address, (select o.receiver_address from orders o
       where o.kind = 'ownership-transfer' and o.contract_id = c.id and o.status = 'CONFIRMED' order by o.id desc limit 1) as owner
     from contracts c where c.status = 'ACTIVE'`,
  );
  const found = await Promise.all(
    rows.map(async ({ contract_address: address, owner }) => {
      const target = address as Address;
      if ((await chain.getCode({ address: target })) === undefined) return [`${target} is ACTIVE and does not exist`];
      if (owner === null) return [];
      const actual = await chain.readContract({
        address: target,
        abi: parseAbi(['function owner() view returns (address)']),
        functionName: 'owner',
      });
      return isAddressEqual(actual, owner as Address) ? [] : [`${target} belongs to ${actual}, not to ${owner}`];
    }),
  );
  return found.flat();
}

/** Every ending has one event. */
async function eventDifferences(database: Postgres): Promise<string[]> {
  return await textsOf(
    database,
    `select t.kind || ' ' || t.order_id || ' has ' || count(e.id) || ' events of ' || t.endings || ' endings'
     from orders t left join webhook_events e on e.related_order_id = t.order_id and e.type not like 'order.%'
     where t.kind <> 'bundle' group by t.id having count(e.id) <> t.endings`,
  );
}

/** What an endpoint received: the events by id, each with its different bodies. */
export type Received = ReadonlyMap<string, ReadonlySet<string>>;

/** Each event that an endpoint gets has arrived there, always with one id and one body, and nothing else has. */
export async function deliveryDifferences(
  { databaseUrl }: StackInfo,
  url: string,
  received: Received,
): Promise<string[]> {
  const { rows } = await withDatabase(databaseUrl, (database) =>
    database.query<Row>(
      `select 'evt_' || e.id as id, e.payload from webhook_events e join webhook_deliveries d on d.webhook_event_id = e.id
       join webhook_endpoints p on p.id = d.webhook_endpoint_id where p.url = $1`,
      [url],
    ),
  );
  const payloads = new Map(rows.map(({ id, payload }) => [String(id), payload]));
  return [
    ...[...payloads].flatMap(([id, payload]) => {
      const bodies = received.get(id);
      if (bodies === undefined) return [`event ${id} was not delivered`];
      return bodies.size === 1 && bodies.has(String(payload)) ? [] : [`event ${id} was delivered with another body`];
    }),
    ...[...received.keys()].filter((id) => !payloads.has(id)).map((id) => `${id} was delivered and is not stored`),
  ];
}

/** The accepted orders that are missing or have no end. */
export async function unendedOf(
  { databaseUrl }: StackInfo,
  accepted: readonly { readonly resource: string; readonly id: string }[],
): Promise<string[]> {
  const ended = await withDatabase(databaseUrl, (database) =>
    textsOf(
      database,
      `select t.resource || ' ' || t.order_id from orders t where t.status in ('CONFIRMED', 'FAILED', 'CANCELLED')
       and not exists (select from contracts c where c.id = t.order_id and c.status = 'DEPLOYING')`,
    ),
  );
  const orders = accepted.map(({ resource, id }) => `${resource} ${id}`);
  return missing(orders, ended).map((order) => `${order} has no end`);
}

type Row = Readonly<Record<string, string | null>>;

async function textsOf(database: Postgres, text: string, values: readonly unknown[] = []): Promise<string[]> {
  const { rows } = await database.query<string[]>({ text, values: [...values], rowMode: 'array' });
  return rows.map(([value]) => String(value));
}

async function withDatabase<Result>(
  connectionString: string,
  use: (database: Postgres) => Promise<Result>,
): Promise<Result> {
  const database = new Postgres({ connectionString });
  await database.connect();
  try {
    return await use(database);
  } finally {
    await database.end();
  }
}
