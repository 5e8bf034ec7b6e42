import { z } from 'zod';
import { queuesOf } from './check-bindings.ts';
import { secretCommand } from './check-settings.ts';
import { neededSecrets, typedCommand, type Deployment } from './deployment.ts';
import type { Edge } from './edge-configuration.ts';
import { type Finding, missing } from './finding.ts';
import { errorOf, runWrangler } from './run-wrangler.ts';

const secretsSchema = z.array(z.object({ name: z.string() }));
/** What wrangler says of a Worker that was never deployed, and of a queue that was never created. */
const NO_WORKER = /Worker ".*".* not found/;
const NO_QUEUE = /Queue ".*" does not exist/;

/**
 * Checks that the account has the queues, the core a secret for each required name that is not uploaded with it, and
 * the edge none.
 */
export async function checkCloudflare(deployment: Deployment, edge: Edge): Promise<Finding[]> {
  const [secrets, ofEdge, queues] = await Promise.all([
    secretFindings(deployment),
    edgeFindings(edge),
    queueFindings(queuesOf(deployment.configuration)),
  ]);
  // What Cloudflare refuses it refuses each request.
  return [...new Map([...secrets, ...ofEdge, ...queues].map((finding) => [finding.what, finding])).values()];
}

/** @param error Of wrangler, which names the path of its request. */
function unreachable(error: string): Finding[] {
  return [
    missing(
      `Cloudflare cannot be queried: ${error.replace(/ \(\/[^)]*\)/, '')}`,
      'npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID',
    ),
  ];
}

async function secretFindings(deployment: Deployment): Promise<Finding[]> {
  const { configuration, uploaded, wranglerOptions } = deployment;
  const needed = neededSecrets(configuration).filter((name) => !uploaded.has(name));
  if (needed.length === 0) return [];
  const { findings, names } = await storedSecrets(wranglerOptions);
  if (findings.length > 0) return [...findings];
  return needed
    .filter((name) => !names.includes(name))
    .map((name) => missing(`The core has no secret ${name}`, secretCommand(name, deployment)));
}

async function edgeFindings({ name: edge, wranglerOptions }: Edge): Promise<Finding[]> {
  const { findings, names } = await storedSecrets(wranglerOptions);
  return [
    ...findings,
    ...names.map((name) =>
      missing(
        `The edge has the secret ${name}, but needs none`,
        typedCommand('secret', 'delete', name, '--name', edge),
      ),
    ),
  ];
}

interface Stored {
  readonly findings: readonly Finding[];
  readonly names: readonly string[];
}

/** @returns the names of a Worker's secrets, or why they are not known. */
async function storedSecrets(wranglerOptions: readonly string[]): Promise<Stored> {
  const listed = await runWrangler(['secret', 'list', '--format', 'json', ...wranglerOptions]);
  if (listed.succeeded) {
    return { findings: [], names: secretsSchema.parse(JSON.parse(listed.stdout)).map(({ name }) => name) };
  }
  return { findings: NO_WORKER.test(listed.output) ? [] : unreachable(errorOf(listed)), names: [] };
}

async function queueFindings(queues: readonly string[]): Promise<Finding[]> {
  const listed = await runWrangler(['queues', 'list']);
  if (!listed.succeeded) return unreachable(errorOf(listed));
  const names = new Set(listed.stdout.split(/[^\w-]+/));
  // The list has a page of the account's queues.
  const others = queues.filter((queue) => !names.has(queue));
  return (await Promise.all(others.map(otherQueueFindings))).flat();
}

async function otherQueueFindings(queue: string): Promise<Finding[]> {
  const described = await runWrangler(['queues', 'info', queue]);
  if (described.succeeded) return [];
  if (!NO_QUEUE.test(described.output)) return unreachable(errorOf(described));
  return [missing(`The queue ${queue} does not exist`, `npx wrangler queues create ${queue}`)];
}
