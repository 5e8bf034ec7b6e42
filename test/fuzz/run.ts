import { randomInt } from 'node:crypto';
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { RuntimeMemory } from '../stack/support/runtime-memory.ts';
import { type Loose, type Operation, operationsOf } from './api-document.ts';
import { createChecker } from './check-reply.ts';
import { type FuzzResult, fuzzOperations } from './fuzz-operations.ts';
import { type FuzzStack, startFuzzStack } from './fuzz-stack.ts';
import { mintAfterwards, setUp } from './set-up.ts';
import { commandLine } from '../../cli/command-line.ts';

const USAGE = `npm run fuzz [-- --seed N] [--requests N] [--operation ID] [--path P] [--verbose]

Sends requests that follow from the API document to a local stack, and checks each reply: docs/reliability.md.
  --seed       of the requests (default: a random one, which is printed)
  --requests   how many (default 10000)
  --operation  only this operationId
  --path       only operations with this path
  --verbose    print each request
Examples:
  npm run fuzz -- --requests 1000
  npm run fuzz -- --seed 42 --operation orderMint --verbose`;

const { values } = commandLine(USAGE, {
  seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
  requests: { type: 'string', default: '10000' },
  operation: { type: 'string' },
  path: { type: 'string' },
  verbose: { type: 'boolean', default: false },
});

/** After this share of the requests the caches are full. */
const WARM = 0.25;
/** How much more than then may be on the heap at the end. */
const HEAP_GROWTH_BYTES = 16 * 1_024 * 1_024;
/** The share of requests that must get past validation. */
const PAST_VALIDATION = 0.5;

async function get(stack: FuzzStack, path: string): Promise<Loose> {
  return await (await fetch(`${stack.baseUrl}${path}`)).json();
}

async function readApi(stack: FuzzStack) {
  const document = await get(stack, '/openapi.json');
  const { items } = await get(stack, '/schemas');
  const versions: string[] = items.map((item: Loose) => item.schemaVersion);
  const schemas = await Promise.all(
    versions.map(async (version) => [version, await get(stack, `/schemas/${version}`)]),
  );
  const operations = operationsOf(document).filter(({ id }) => id === (values.operation ?? id));
  if (operations.length === 0) throw new Error(`No operation is named ${values.operation}`);
  return { document, schemas: Object.fromEntries(schemas), operations };
}

const inMegabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;

/** Operations that no request has succeeded at. */
function unsuccessful(operations: readonly Operation[], replies: FuzzResult['replies']): string[] {
  const labels = [...replies.keys()];
  return operations.map(({ id }) => id).filter((id) => !labels.some((label) => new RegExp(`^${id} [23]`).test(label)));
}

/** @returns what failed. */
async function fuzz(stack: FuzzStack, memory: RuntimeMemory, webhookUrl: string): Promise<readonly string[]> {
  const [api, tenants] = await Promise.all([readApi(stack), setUp(stack, webhookUrl)]);
  const measured = async () => ({ heap: await memory.collectedHeap(), resident: memory.resident() });
  const warm = Promise.withResolvers<Awaited<ReturnType<typeof measured>> | undefined>();
  const started = performance.now();
  const requests = fuzzOperations(stack.baseUrl, api, tenants, createChecker(api.document), {
    seed: values.seed,
    requests: Number(values.requests),
    path: values.path,
    verbose: values.verbose,
    afterShare: [WARM, () => warm.resolve(measured())],
  }).finally(() => warm.resolve(undefined));
  const [result, before] = await Promise.all([requests, warm.promise]);
  const seconds = (performance.now() - started) / 1_000;
  const after = await measured();
  const share = result.pastValidation / result.requests;
  console.log(
    `${result.requests} requests to ${api.operations.length} operations in ${seconds.toFixed(0)} s, ${(result.requests / seconds).toFixed(0)} a second`,
  );
  console.log(`${(100 * share).toFixed(0)} % got past validation`);
  if (before !== undefined) {
    console.log(
      `heap after a collection: ${inMegabytes(before.heap)} at ${100 * WARM} %, ${inMegabytes(after.heap)} at the end`,
    );
    console.log(`resident: ${inMegabytes(before.resident)}, ${inMegabytes(after.resident)}`);
  }
  console.log(`operations without a success: ${unsuccessful(api.operations, result.replies).join(', ') || 'none'}`);
  if (values.verbose)
    for (const [label, count] of [...result.replies].toSorted(([one], [other]) => (one < other ? -1 : 1)))
      console.log(`  ${label}: ${count}`);
  const { ok, status } = await fetch(`${stack.baseUrl}/health`);
  await mintAfterwards(stack, tenants);
  const issues = [
    ...(ok ? [] : [`GET /health returns ${status}`]),
    ...(values.operation === undefined && share < PAST_VALIDATION ? ['Too few requests get past validation'] : []),
    ...(before !== undefined && after.heap - before.heap > HEAP_GROWTH_BYTES ? ['The heap grows'] : []),
  ];
  for (const issue of issues) console.log(issue);
  return [...result.failures, ...issues];
}

console.log(`Seed ${values.seed}`);
const receiver = await startWebhookReceiver();
const stack = await startFuzzStack();
try {
  const memory = await RuntimeMemory.open(stack);
  const failures = await fuzz(stack, memory, receiver.url);
  memory.close();
  console.log(`${failures.length} failures.`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  await stack.stop();
  await receiver.close();
}
process.exit();
