// npm run bench:calls -- [--block-time SECONDS] [--seconds N] [--json]: how many calls to nodes a mint takes, alone and at one a second, and how many the
// idle service makes. Nodes bill by the call. It counts, so that it can run beside other work.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createTestClient, http } from 'viem';
import { chainId, createMetadata, deployContract, receiverAddress } from './bench-resources.ts';
import { startFarStack } from './far-stack.ts';

const { values } = parseArgs({
  options: {
    'block-time': { type: 'string', default: '2' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
});
const BLOCK_TIME = Number(values['block-time']);
const SECONDS = Number(values.seconds);

const stack = await startFarStack(20);
try {
  const { api } = stack;
  const contractAddress = await deployContract(api);
  const documents = await createMetadata(api, SECONDS + 1);
  await createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls[chainId]) }).setIntervalMining({
    interval: BLOCK_TIME,
  });
  let tokens = 0;
  const mint = async () => {
    tokens += 1;
    const order = { chainId, contractAddress, receiverAddress, tokenId: String(tokens), metadataId: documents.pop() };
    const { id } = await api.post('/minting/order', order);
    return `/minting/${String(id)}`;
  };

  const alone = await stack.countNodeCalls(async () => void (await api.result(await mint())));
  const steady = await stack.countNodeCalls(async () => {
    const orders: string[] = [];
    for (let second = 0; second < SECONDS; second += 1) {
      const [order] = await Promise.all([mint(), delay(1_000)]);
      orders.push(order);
    }
    await Promise.all(orders.map((order) => api.result(order)));
  });
  const idle = await stack.countNodeCalls(() => delay(SECONDS * 1_000));

  const rows = { 'a mint alone': [alone, 1], 'each of one a second': [steady, SECONDS], idle: [idle, 1] } as const;
  const methods = [...new Set([...alone.keys(), ...steady.keys(), ...idle.keys()])].toSorted();
  const figures = Object.entries(rows).map(([name, [calls, mints]]) => ({
    name,
    calls: Array.from(calls.values()).reduce((sum, count) => sum + count, 0) / mints,
    methods: Object.fromEntries(methods.map((method) => [method, (calls.get(method) ?? 0) / mints])),
  }));
  if (values.json) console.log(JSON.stringify({ blockTime: BLOCK_TIME, seconds: SECONDS, figures }, null, 2));
  else {
    const columns = ['calls', ...methods.map((method) => method.replace('eth_', ''))];
    console.log(`| blocks every ${BLOCK_TIME} s | ${columns.join(' | ')} |`);
    console.log(`| --- |${' ---: |'.repeat(columns.length)}`);
    for (const { name, calls, methods: own } of figures) {
      const numbers = [calls, ...Object.values(own)].map((count) => String(Math.round(count * 10) / 10));
      console.log(`| ${name} | ${numbers.join(' | ')} |`);
    }
  }
} finally {
  await stack.stop();
}
process.exit();
