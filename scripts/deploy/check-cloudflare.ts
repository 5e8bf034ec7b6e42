import { z } from 'zod';
import { queuesOf } from './check-bindings.ts';
import { secretCommand } from './check-settings.ts';
import { neededSecrets, type Deployment } from './deployment.ts';
import { type Finding, missing } from './finding.ts';
import { errorOf, runWrangler } from './run-wrangler.ts';

const secretsSchema = z.array(z.object({ name: z.string() }));
/** What wrangler says of a Worker that was never deployed, and of a queue that was never created. */
const NO_WORKER = /Worker ".*".* not found/;
const NO_QUEUE = /Queue ".*" does not exist/;

/** Checks that the account has the queues, and a secret for each required name that is not uploaded with the Worker. */
export async function checkCloudflare(deployment: Deployment): Promise<Finding[]> {
  const [secrets, queues] = await Promise.all([
    secretFindings(deployment),
    queueFindings(queuesOf(deployment.configuration)),
  ]);
  return [...secrets, ...queues];
}

function unreachable(reason: string): Finding[] {
  return [
    missing(
      `Cloudflare cannot be asked: ${reason}`,
      'npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID',
    ),
  ];
}

async function secretFindings(deployment: Deployment): Promise<Finding[]> {
  const { configuration, uploaded, wranglerOptions } = deployment;
  const needed = neededSecrets(configuration).filter((name) => !uploaded.has(name));
  if (needed.length === 0) return [];
  const listed = await runWrangler(['secret', 'list', '--format', 'json', ...wranglerOptions]);
  if (!listed.succeeded && !NO_WORKER.test(listed.output)) return unreachable(errorOf(listed));
  const stored = listed.succeeded ? secretsSchema.parse(JSON.parse(listed.stdout)).map(({ name }) => name) : [];
  return needed
    .filter((name) => !stored.includes(name))
    .map((name) => missing(`The Worker has no secret ${name}`, secretCommand(name, deployment)));
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
