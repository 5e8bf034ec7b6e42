import { expect, it } from 'vitest';
import { checkBindings } from './check-bindings.ts';
import { readConfiguration, type Configuration } from './deployment.ts';

const step = { new_classes: [], new_sqlite_classes: [], renamed_classes: [], deleted_classes: [] };

const production = readConfiguration('production');
const staging = readConfiguration('staging');

const issues = (changed: Partial<Configuration>) =>
  checkBindings({ ...staging, ...changed }, production).map(({ what }) => what);

it('finds nothing missing in wrangler.toml, for either environment', () => {
  expect(checkBindings(production, staging)).toEqual([]);
  expect(checkBindings(staging, production)).toEqual([]);
});

it('finds a queue without a consumer, and one without a producer', () => {
  const { producers, consumers } = staging.queues;
  expect(issues({ queues: { producers, consumers: consumers.slice(1) } })).toEqual([
    'The queue nft-staging-deploy has no consumer',
  ]);
  expect(issues({ queues: { producers: producers.slice(1), consumers } })).toEqual([
    'The queue nft-staging-deploy has no producer',
    'The binding DEPLOY_QUEUE is missing; the other environment has it',
  ]);
});

it('finds a Durable Object class that no migration creates, or that one deletes or renames', () => {
  const found = ['No migration creates the Durable Object class Lane'];
  expect(issues({ migrations: [] })).toEqual(found);
  const more = [...staging.migrations, { ...step, tag: 'v3', deleted_classes: ['Lane'] }];
  expect(issues({ migrations: more })).toEqual(found);
  const renamed = [...staging.migrations, { ...step, tag: 'v3', renamed_classes: [{ from: 'Lane', to: 'Driver' }] }];
  expect(issues({ migrations: renamed })).toEqual(found);
});

it('finds what would let callers reach the core past the edge', () => {
  const past = 'callers would reach the core without the edge';
  expect(issues({ workers_dev: true, preview_urls: undefined })).toEqual([
    `workers_dev is not false: ${past}`,
    `preview_urls is not false: ${past}`,
  ]);
  const routes = `The core has routes; the domain is given with --domain: ${past}`;
  expect(issues({ routes: ['api.example.com/*'] })).toEqual([routes]);
  expect(issues({ route: 'api.example.com/*' })).toEqual([routes]);
});

it('finds rate limiters that count together, and a missing cron trigger', () => {
  const [first, ...rest] = staging.ratelimits;
  if (first === undefined) throw new Error('There are rate limiters');
  expect(issues({ ratelimits: [{ ...first, namespace_id: '1001' }, ...rest] })).toEqual([
    'Two rate limiters share the namespace_id 1001',
  ]);
  expect(issues({ triggers: { crons: [] } })).toEqual([expect.stringContaining('No cron trigger')]);
});
