import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http } from 'viem';
import { chainId, createMetadata, deployContract, receiverAddress } from './bench-resources.ts';
import { startFarStack, type Work } from './far-stack.ts';
import { commandLine } from '../scripts/command-line.ts';

const USAGE = `npm run bench:calls [-- --block-time SECONDS] [--seconds N] [--json]

What a mint takes of nodes, which bill by the call, and of the database, which bills what it sends: alone and at one a second, with its
document and its webhook; then a status request, a public read, and the idle service. It counts, so that it can run beside other work.
  --block-time  of the chain, in seconds (default 2)
  --seconds     how long mints are ordered, one a second (default 60)
  --json        print JSON
Example:
  npm run -s bench:calls -- --seconds 10 --json`;

const { values } = commandLine(USAGE, {
  'block-time': { type: 'string', default: '2' },
  seconds: { type: 'string', default: '60' },
  json: { type: 'boolean', default: false },
});
const BLOCK_TIME = Number(values['block-time']);
const SECONDS = Number(values.seconds);

const stack = await startFarStack(20);
try {
  const { api } = stack;
  const contractAddress = await deployContract(api);
  await createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls[chainId]) }).setIntervalMining({
    interval: BLOCK_TIME,
  });
  let tokens = 0;
  const mint = async () => {
    tokens += 1;
    const tokenId = String(tokens);
    const [metadataId] = await createMetadata(api, 1);
    const { id } = await api.post('/minting/order', { chainId, contractAddress, receiverAddress, tokenId, metadataId });
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
  const [first = '', ...others] = orders;
  // All are done by now, so each takes one request.
  const status = await stack.count(() => api.result(first));
  for (const order of others) await api.result(order);
  const idle = await stack.count(() => delay(SECONDS * 1_000));
  // What was cached at the mint may be served for a minute.
  await delay(Math.max(0, 60 - SECONDS) * 1_000);
  const uncached = await stack.count(readDocument);

  const rows: Readonly<Record<string, readonly [Work, number]>> = {
    'a mint alone': [alone, 1],
    'each of one a second': [steady, SECONDS],
    'a status request': [status, 1],
    'a public read, cached': [cached, 1],
    'a public read, not cached': [uncached, 1],
    idle: [idle, 1],
  };
  const methods = [...new Set(Object.values(rows).flatMap(([{ nodeCalls }]) => [...nodeCalls.keys()]))].toSorted();
  const figures = Object.entries(rows).map(([name, [work, times]]) => ({
    name,
    'database requests': work.database / times,
    statements: work.statements / times,
    bytes: work.databaseBytes / times,
    calls: Array.from(work.nodeCalls.values()).reduce((sum, count) => sum + count, 0) / times,
    ...Object.fromEntries(methods.map((method) => [method, (work.nodeCalls.get(method) ?? 0) / times])),
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
