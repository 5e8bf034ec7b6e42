import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http } from 'viem';
import { chainId, createMetadata, deployContract, receiverAddress } from './bench-resources.ts';
import { startFarStack, type Work } from './far-stack.ts';
import { commandLine } from '../cli/command-line.ts';
import type { Api } from '../scripts/demo/api.ts';

const USAGE = `npm run bench:calls [-- --block-time SECONDS] [--seconds N] [--wallets N] [--providers N] [--json]

What a mint takes of nodes, which bill by the call, and of the database, which bills what it sends: alone and at one a second, with its
document and its webhook; then a status request, a public read, and the idle service. It counts, so that it can run beside other work.
  --block-time  of the chain, in seconds (default 2)
  --seconds     how long mints are ordered, one a second (default 60)
  --wallets     as many wallets order one each ten seconds, too (default: none)
  --providers   as many nodes are asked (default 1)
  --json        print JSON
Example:
  npm run -s bench:calls -- --seconds 10 --json`;

const { values } = commandLine(USAGE, {
  'block-time': { type: 'string', default: '2' },
  seconds: { type: 'string', default: '60' },
  wallets: { type: 'string', default: '0' },
  providers: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
});
const BLOCK_TIME = Number(values['block-time']);
const SECONDS = Number(values.seconds);
const WALLETS = Number(values.wallets);
/** How often each of several wallets orders a mint. */
const EACH_MS = 10_000;

const stack = await startFarStack(20, { providers: Number(values.providers) });
try {
  const { api } = stack;
  const contractAddress = await deployContract(api);
  const others: { readonly api: Api; readonly contractAddress: unknown }[] = [];
  for (let count = 0; count < WALLETS; count += 1) {
    const own = await stack.addAccount();
    others.push({ api: own, contractAddress: await deployContract(own) });
  }
  await createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls[chainId]) }).setIntervalMining({
    interval: BLOCK_TIME,
  });
  let tokens = 0;
  const mint = async (by = { api, contractAddress }) => {
    tokens += 1;
    const tokenId = String(tokens);
    const [metadataId] = await createMetadata(by.api, 1);
    const order = { chainId, contractAddress: by.contractAddress, receiverAddress, tokenId, metadataId };
    const { id } = await by.api.post('/minting/order', order);
    return `/minting/${String(id)}`;
  };
  const readDocument = () => api.publicText(`${stack.baseUrl}/metadata/${String(contractAddress)}/1`);

  const orders: string[] = [];
  const alone = await stack.count(async () => void orders.push(await mint()));
  const cached = await stack.count(readDocument);
  const steady = await stack.count(async () => {
    for (let second = 0; second < SECONDS; second += 1) {
      const [order] = await Promise.all([mint(), delay(1_000)]);
      orders.push(order);
    }
  });
  const times = Math.max(1, Math.round((SECONDS * 1_000) / EACH_MS));
  const spread = await stack.count(() =>
    Promise.all(
      others.map(async (own, index) => {
        await delay((index * EACH_MS) / WALLETS);
        for (let time = 0; time < times; time += 1) await Promise.all([mint(own), delay(EACH_MS)]);
      }),
    ),
  );
  const [first = '', ...rest] = orders;
  // All are done by now, so each takes one request.
  const status = await stack.count(() => api.result(first));
  for (const order of rest) await api.result(order);
  const idle = await stack.count(() => delay(SECONDS * 1_000));
  // What was cached at the mint may be served for a minute.
  await delay(Math.max(0, 60 - SECONDS) * 1_000);
  const uncached = await stack.count(readDocument);

  const rows: Readonly<Record<string, readonly [Work, number]>> = {
    'a mint alone': [alone, 1],
    'each of one a second': [steady, SECONDS],
    ...(WALLETS > 0 && { [`each of ${WALLETS} wallets', one in 10 s`]: [spread, times * WALLETS] as const }),
    'a status request': [status, 1],
    'a public read, cached': [cached, 1],
    'a public read, not cached': [uncached, 1],
    idle: [idle, 1],
  };
  const methods = [...new Set(Object.values(rows).flatMap(([{ nodeCalls }]) => [...nodeCalls.keys()]))].toSorted();
  const figures = Object.entries(rows).map(([name, [work, mints]]) => ({
    name,
    'database requests': work.database / mints,
    statements: work.statements / mints,
    bytes: work.databaseBytes / mints,
    calls: Array.from(work.nodeCalls.values()).reduce((sum, count) => sum + count, 0) / mints,
    ...Object.fromEntries(methods.map((method) => [method, (work.nodeCalls.get(method) ?? 0) / mints])),
  }));
  if (values.json) console.log(JSON.stringify({ blockTime: BLOCK_TIME, seconds: SECONDS, figures }, null, 2));
  else {
    const columns = ['database requests', 'statements', 'bytes', 'calls', ...methods];
    console.log(`| blocks every ${BLOCK_TIME} s | ${columns.map((name) => name.replace('eth_', '')).join(' | ')} |`);
    console.log(`| --- |${' ---: |'.repeat(columns.length)}`);
    for (const { name, ...numbers } of figures) {
      console.log(
        `| ${name} | ${Object.values(numbers)
          .map((one) => String(Math.round(one * 10) / 10))
          .join(' | ')} |`,
      );
    }
  }
} finally {
  await stack.stop();
}
process.exit();
