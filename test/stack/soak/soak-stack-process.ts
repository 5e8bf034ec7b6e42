// Runs the local stack with a node that mines a block a second and can lose transactions, for soak-stack.ts, which has
// forked it.
import { join } from 'node:path';
import { createTestClient, http } from 'viem';
import { DEFAULT_CHAIN } from '../../../src/chains/list.ts';
import { startBackingServices } from '../../../stack/backing-services.ts';
import { ComponentGroup } from '../../../stack/component-group.ts';
import { startCronTrigger } from '../../../stack/cron-trigger.ts';
import { freePort } from '../../../stack/ports.ts';
import { startWorker } from '../../../stack/worker.ts';
import { startLosingNode } from './losing-node.ts';
import { commandSchema, type StackAddresses } from './soak-stack.ts';

/**
 * Has blocks mined like those of a chain. A node that mines each transaction at once computes its whole state for a
 * handful of them, so that one flooding account leaves no room in its blocks for others.
 */
async function mineEachSecond(rpcUrl: string): Promise<void> {
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  await chain.setAutomine(false);
  await chain.setIntervalMining({ interval: 1 });
}

const [dataDir = ''] = process.argv.slice(2);
const components = new ComponentGroup();
process.once('disconnect', () => void components.stop().finally(() => process.exit()));

const port = await freePort();
const baseUrl = `http://127.0.0.1:${port}`;
const services = await components.add(startBackingServices({ dataDir, baseUrl, chains: [DEFAULT_CHAIN] }));
const rpcUrl = services.rpcUrls[DEFAULT_CHAIN.id] ?? '';
await mineEachSecond(rpcUrl);
const node = await components.add(startLosingNode(rpcUrl));
const settings = { ...services.workerSettings, [`RPC_URL_${DEFAULT_CHAIN.id}`]: node.url };
const worker = await components.add(startWorker({ dataDir, port, settings, logFile: join(dataDir, 'worker.log') }));
await components.add(Promise.resolve(startCronTrigger(baseUrl, console.log)));

process.on('message', (message) => {
  const command = commandSchema.parse(message);
  if (command.name === 'lose') node.lose(command.contractAddress);
  else node.recover();
});
const { databaseUrl } = services;
const { inspectorPort } = worker;
process.send?.({ baseUrl, databaseUrl, rpcUrl, inspectorPort, settings } satisfies StackAddresses);
