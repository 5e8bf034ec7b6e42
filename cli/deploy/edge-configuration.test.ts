import { expect, it } from 'vitest';
import { DEPLOYED_ENVIRONMENTS, readConfiguration } from './deployment.ts';
import { edgeConfiguration } from './edge-configuration.ts';

it.each(DEPLOYED_ENVIRONMENTS)(
  'the edge of %s has the pages, its own core and public settings, and nothing else',
  (name) => {
    const core = readConfiguration(name);
    const vars = {
      ...core.vars,
      METADATA_BASE_URI: 'https://api.example.com/metadata',
      PUBLIC_RPC_URL_43113: 'https://node.example.com',
      LANE_LOCATION: 'weur',
      RPC_URL_43113: 'https://node.example.com/v2/a-key-of-a-provider',
    };
    const { vars: shown, services, assets, name: edge, ...rest } = edgeConfiguration({ ...core, vars });
    expect(Object.keys(shown).toSorted()).toEqual(['ALLOWED_CHAIN_IDS', 'METADATA_BASE_URI', 'PUBLIC_RPC_URL_43113']);
    expect(services).toEqual([{ binding: 'CORE', service: core.name }]);
    expect([edge, assets.binding]).toEqual([`${core.name}-edge`, 'ASSETS']);
    expect(rest).toEqual({
      main: expect.stringMatching(/\/src\/edge\.ts$/),
      compatibility_date: core.compatibility_date,
      compatibility_flags: core.compatibility_flags,
      workers_dev: false,
      preview_urls: false,
      observability: core.observability,
    });
  },
);

it('the environments share neither core nor edge', () => {
  const [staging, production] = DEPLOYED_ENVIRONMENTS.map((name) => edgeConfiguration(readConfiguration(name)));
  expect(staging?.name).not.toBe(production?.name);
  expect(staging?.services).not.toEqual(production?.services);
});

it.each(DEPLOYED_ENVIRONMENTS)('the platform logs no URL of %s: the id of a ticket opens the gate', (name) => {
  expect(readConfiguration(name).observability).toMatchObject({
    redact_query_string: true,
    logs: { enabled: true, invocation_logs: false },
  });
});
