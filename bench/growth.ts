import { z } from 'zod';
import { chainId, receiverAddress } from './bench-resources.ts';
import { startGrowthStack, type GrowthStack } from './growth-stack.ts';
import { pagesRead } from './pages-read.ts';
import { fetchDocument, readRequests, seededValues, type ApiDocument, type ReadRequest } from './read-requests.ts';
import { commandLine } from '../cli/command-line.ts';

const USAGE = `npm run bench:growth [-- --rows A,B,C] [--samples N]

The latency of each route and of a lane's claim with histories of different sizes, compared with the first. The services run side by side and
are asked in turn, each as often first, so that what else the machine does affects all of them: what is left to do of the request before, too.
  --rows     the sizes (default 1000,100000,1000000)
  --samples  of each request (default 25)
Example:
  npm run bench:growth -- --rows 1000,10000 --samples 5`;

const { values } = commandLine(USAGE, {
  rows: { type: 'string', default: '1000,100000,1000000' },
  samples: { type: 'string', default: '25' },
});
const SIZES = values.rows.split(',').map(Number);
const SAMPLES = Number(values.samples);
/** Other kinds of orders, as a share of the mints. */
const OTHERS = 0.1;
/** The most by which a median may exceed that of the first size. */
const GOAL = 1.25;

const resourceSchema = z.record(z.string(), z.unknown());
const contractSchema = z.object({ _id: z.string(), status: z.string(), contractAddress: z.string().nullish() });

/** A measured action, by name. It resolves with its milliseconds. */
type Action = readonly [name: string, run: () => Promise<number>];

/** Sends a request that must succeed. @returns the body of the reply, and milliseconds. */
async function send(stack: GrowthStack, path: string, init: RequestInit): Promise<readonly [string, number]> {
  const started = performance.now();
  const reply = await fetch(`${stack.baseUrl}${path}`, init);
  const text = await reply.text();
  const milliseconds = performance.now() - started;
  if (!reply.ok) throw new Error(`${path} returned ${reply.status}: ${text}`);
  return [text, milliseconds];
}

function headersOf(
  { settings, accounts: [{ corporateId }], apiKey }: GrowthStack,
  isAdmin = false,
): Record<string, string> {
  const common = { 'content-type': 'application/json' };
  return isAdmin
    ? { ...common, 'x-corporate-id': corporateId, 'x-admin-secret-key': settings['ADMIN_SECRET_KEY'] ?? '' }
    : { ...common, 'x-api-key': apiKey };
}

async function readsOf(stack: GrowthStack, document: ApiDocument): Promise<Action[]> {
  const [{ _id: accountId }] = stack.accounts;
  const seeded = await seededValues(stack.databaseUrl, accountId);
  // The key is for main chains.
  const ofKey = { chainId: [chainId], 'getStatusRules.kind': ['live'], 'listKeys.kind': ['live'] };
  const requests = readRequests(document, { ...seeded, ...ofKey });
  return requests.map((request) => [
    labelOf(request),
    async () => (await send(stack, request.path, { headers: headersOf(stack, request.isAdmin) }))[1],
  ]);
}

/** Names a request in the same way for every history: without the values that differ. */
function labelOf({ operationId, filter }: ReadRequest): string {
  const [name = '', value = ''] = filter.split('=');
  if (name === '') return operationId;
  return `${operationId} ${name}${/^[A-Z_a-z.]+$|^\d{1,4}$/.test(value) ? `=${value}` : ''}`;
}

/** Actions that change something, each on records of its own. */
function writesOf(stack: GrowthStack, contractAddress: string): Action[] {
  const post = async (path: string, body: object): Promise<readonly [Record<string, unknown>, number]> => {
    const init = { method: 'POST', headers: headersOf(stack), body: JSON.stringify(body) };
    const [text, milliseconds] = await send(stack, path, init);
    return [resourceSchema.parse(JSON.parse(text)), milliseconds];
  };
  const document = {
    chainId,
    name: 'Growth',
    imageUrl: 'https://example.com/g.png',
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  };
  let tokens = 10_000_000;
  const order = async () => {
    const [{ _id: metadataId }] = await post('/metadata', document);
    tokens += 1;
    return { chainId, contractAddress, receiverAddress, tokenId: String(tokens), metadataId };
  };
  return [
    ['createMetadata', async () => (await post('/metadata', document))[1]],
    ['orderMint', async () => (await post('/minting/order', await order()))[1]],
    [
      'orderMints (10)',
      async () => {
        const orders = await Promise.all(Array.from({ length: 10 }, order));
        return (await post('/minting/orders/batch', { orders }))[1];
      },
    ],
    [
      'checkOccupancy',
      async () => {
        const { receiverAddress: _, ...mint } = await order();
        return (await post('/minting/occupancy/check', mint))[1];
      },
    ],
    [
      'setMetadataStatus',
      async () => {
        const [{ _id: id }] = await post('/metadata', document);
        return (await post(`/metadata/${String(id)}/status`, { status: 'Redeemed' }))[1];
      },
    ],
    [
      'readContract',
      async () => {
        const body = JSON.stringify({ chainId, contractAddress, method: 'owner', args: [] });
        return (await send(stack, '/contracts/read', { method: 'POST', headers: headersOf(stack), body }))[1];
      },
    ],
  ];
}

/** Deploys a contract for the mints. @returns its address. */
async function deploy(stack: GrowthStack): Promise<string> {
  const headers = headersOf(stack);
  const contract = { chainId, name: 'Growth', symbol: 'G', ercStandard: '721', contractType: 'standard' };
  const [text] = await send(stack, '/contracts/deploy', { method: 'POST', headers, body: JSON.stringify(contract) });
  const { _id: id } = contractSchema.parse(JSON.parse(text));
  for (;;) {
    const [reply] = await send(stack, `/contracts/${id}`, { headers });
    const { status, contractAddress } = contractSchema.parse(JSON.parse(reply));
    if (status === 'ACTIVE') return contractAddress ?? '';
    if (status === 'FAILED') throw new Error(reply);
  }
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** The places of a list, from another one in each round. */
const rotated = (list: readonly unknown[], round: number) => list.map((_, place) => (place + round) % list.length);

/** The medians of the lane's claims, from what was recorded. */
function claimsOf(stack: GrowthStack): number[] {
  return stack.recorder
    .take()
    .filter(({ statements }) => statements.some(({ query }) => query.includes('/* claim-transactions */')))
    .map(({ milliseconds }) => milliseconds);
}

/** The pages that each read costs the database, by size. */
async function pagesOf(stacks: readonly GrowthStack[]): Promise<ReadonlyMap<string, number[]>> {
  const pages = new Map<string, number[]>();
  for (const stack of stacks) {
    for (const [name, run] of await readsOf(stack, await fetchDocument(stack.baseUrl))) {
      stack.recorder.take();
      await run();
      pages.set(name, [...(pages.get(name) ?? []), await pagesRead(stack.databaseUrl, stack.recorder.take())]);
    }
  }
  return pages;
}

async function measure(stacks: readonly GrowthStack[]) {
  const actions = await Promise.all(
    stacks.map(async (stack) => {
      return [...(await readsOf(stack, await fetchDocument(stack.baseUrl))), ...writesOf(stack, await deploy(stack))];
    }),
  );
  const pages = await pagesOf(stacks);
  const times = new Map<string, number[][]>();
  const add = (name: string, place: number, milliseconds: readonly number[]) => {
    const own = times.get(name) ?? stacks.map(() => []);
    own[place]?.push(...milliseconds);
    times.set(name, own);
  };
  // The first round fills caches and compiles, and does not count.
  for (let sample = 0; sample <= SAMPLES; sample += 1) {
    for (let action = 0; action < (actions[0]?.length ?? 0); action += 1) {
      for (const place of rotated(actions, sample)) {
        const [name, run] = actions[place]?.[action] ?? ['', () => Promise.resolve(0)];
        const milliseconds = await run();
        if (sample > 0) add(name, place, [milliseconds]);
      }
    }
    for (const [place, stack] of stacks.entries()) add("the lane's claim", place, claimsOf(stack));
  }
  return { pages, times };
}

const stacks: GrowthStack[] = [];
try {
  for (const mints of SIZES) {
    const started = performance.now();
    stacks.push(await startGrowthStack({ mints, otherOrders: Math.max(1_000, mints * OTHERS) }));
    console.log(`${mints} mints stored in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  }
  const { pages, times } = await measure(stacks);
  const rows = Array.from(times, ([name, own]) => {
    const medians = own.map(median);
    return { name, medians, ratio: Math.max(...medians) / (medians[0] ?? 1), pages: pages.get(name) ?? [] };
  });
  console.log(`| p50 in ms | ${SIZES.map((size) => size.toLocaleString('en')).join(' | ')} | ratio | pages read |`);
  console.log(`| --- |${SIZES.map(() => ' --- |').join('')} --- | --- |`);
  for (const { name, medians, ratio, pages: read } of rows.toSorted((a, b) => b.ratio - a.ratio)) {
    const milliseconds = medians.map((time) => time.toFixed(1)).join(' | ');
    console.log(`| ${name} | ${milliseconds} | ${ratio.toFixed(2)} | ${read.join(', ')} |`);
  }
  const missed = rows.filter(({ ratio }) => ratio > GOAL);
  console.log(`${rows.length - missed.length} of ${rows.length} within ${GOAL} times.`);
} finally {
  await Promise.all(stacks.map((stack) => stack.stop()));
}
process.exit();
