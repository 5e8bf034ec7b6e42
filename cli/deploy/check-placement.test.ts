import { expect, it } from 'vitest';
import { checkPlacement } from './check-placement.ts';
import { readDeployment } from './deployment.ts';

const NEON = (region: string) => `postgres://nft_worker:pw@ep-cool-1234.c-2.${region}.neon.tech/nft`;

function issuesOf(placement: object, settings: Readonly<Record<string, string>>): string[] {
  const { configuration, ...rest } = readDeployment('staging', undefined, 'api.example.com');
  return checkPlacement({ ...rest, configuration: { ...configuration, placement }, settings }).map(({ what }) => what);
}

it('names what a deployment lacks: a placement of the core, and the region of the drivers', () => {
  expect(issuesOf({}, {})).toEqual([
    'The core is not placed beside the database',
    'LANE_LOCATION is missing, so drivers run wherever they are first woken',
  ]);
  // Smart placement moves with the traffic.
  expect(issuesOf({ mode: 'smart' }, { LANE_LOCATION: 'weur' })).toHaveLength(1);
});

it.each([
  [{ region: 'aws:ap-southeast-1' }, 'apac-se', NEON('ap-southeast-1.aws')],
  [{ region: 'aws:us-east-2' }, 'enam', NEON('us-east-2.aws')],
  [{ region: 'azure:germanywestcentral' }, 'weur', NEON('germanywestcentral.azure')],
  [{ region: 'aws:ap-southeast-2' }, 'oc', NEON('ap-southeast-2.aws')],
  // Where names do not tell, the operator decides.
  [{ region: 'gcp:elsewhere9' }, 'me', 'postgres://nft_worker:pw@db.example.com/nft'],
  [{ host: 'db.example.com:5432' }, 'sam', 'postgres://nft_worker:pw@db.example.com/nft'],
])('accepts %j with drivers in %s', (placement, LANE_LOCATION, DATABASE_URL) => {
  expect(issuesOf(placement, { LANE_LOCATION, DATABASE_URL })).toEqual([]);
});

it('finds a core and drivers that are far from the database', () => {
  const settings = { LANE_LOCATION: 'weur', DATABASE_URL: NEON('ap-southeast-1.aws') };
  const lanes = 'LANE_LOCATION is weur, but the database is in apac or apac-ne or apac-se';
  expect(issuesOf({ region: 'aws:ap-southeast-1' }, settings)).toEqual([lanes]);
  expect(issuesOf({ host: 'db.example.com:5432' }, settings)).toEqual([lanes]);
  expect(issuesOf({ region: 'aws:eu-west-1' }, settings)).toEqual([
    'The core is placed beside aws:eu-west-1, but the database is in aws:ap-southeast-1',
  ]);
});
