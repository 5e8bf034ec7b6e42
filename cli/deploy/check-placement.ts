import { settingText } from '../../src/core/setting-text.ts';
import type { LANE_LOCATIONS } from '../../src/platform/lanes.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, missing } from './finding.ts';

type LaneLocation = (typeof LANE_LOCATIONS)[number];

/** Where Neon's host names say that a database is. */
const NEON_HOST = /\.([a-z0-9-]+)\.(aws|azure)\.neon\.tech$/;

/**
 * The regions of Durable Objects near those of clouds, by continent: where a continent has two, either is near enough.
 */
const NEAR: readonly (readonly [RegExp, readonly LaneLocation[]])[] = [
  [/^(aws:us-east-|gcp:us-east|azure:eastus)/, ['enam']],
  [/^(aws:us-west-|gcp:us-west|azure:westus)/, ['wnam']],
  [/^(aws:ca-|gcp:northamerica-|gcp:us-central|azure:(canada|centralus))/, ['enam', 'wnam']],
  [/^(aws:sa-|gcp:southamerica-|azure:brazil)/, ['sam']],
  [/^(aws:eu-|gcp:europe-|azure:(\w+europe|uk|france|germany|switzerland|italy|spain))/, ['weur', 'eeur']],
  [/^(aws:ap-southeast-[246]$|gcp:australia-|azure:(australia|newzealand))/, ['oc']],
  [/^(aws:ap-|gcp:asia-|azure:(\w+asia|japan|korea|\w+india))/, ['apac', 'apac-ne', 'apac-se']],
  [/^(aws:af-|gcp:africa-|azure:southafrica)/, ['afr']],
  [/^(aws:(me|il)-|gcp:me-|azure:(uae|qatar|israel))/, ['me']],
];

/**
 * Checks that requests and drivers run beside the database: both query it far more often than anything else is far from
 * them. Which region a database has, and which regions are near one another, is checked where the names tell.
 */
export function checkPlacement({ configuration, environment, settings }: Deployment): Finding[] {
  const { region, host, hostname } = configuration.placement;
  const lanes = settingText(settings['LANE_LOCATION']);
  const ofDatabase = regionOf(settingText(settings['DATABASE_URL']) ?? '');
  const example = `region = "${ofDatabase ?? 'aws:ap-southeast-1'}"`;
  const editPlacement = `edit placement in wrangler.toml: ${example}, the database's`;
  const near = NEAR.find(([regions]) => regions.test(region ?? ofDatabase ?? ''))?.[1];
  const editLanes = `edit LANE_LOCATION in ${environment === 'production' ? '[vars]' : `[env.${environment}.vars]`} in wrangler.toml`;
  return [
    ...(region === undefined && host === undefined && hostname === undefined
      ? [missing('The core is not placed beside the database', editPlacement)]
      : []),
    ...(region !== undefined && ofDatabase !== undefined && region !== ofDatabase
      ? [missing(`The core is placed beside ${region}, but the database is in ${ofDatabase}`, editPlacement)]
      : []),
    ...(lanes === undefined
      ? [missing('LANE_LOCATION is missing, so drivers run wherever they are first woken', editLanes)]
      : near !== undefined && !near.some((location) => location === lanes)
        ? [missing(`LANE_LOCATION is ${lanes}, but the database is in ${near.join(' or ')}`, editLanes)]
        : []),
  ];
}

function regionOf(databaseUrl: string): string | undefined {
  if (!URL.canParse(databaseUrl)) return undefined;
  const [, region, provider] = NEON_HOST.exec(new URL(databaseUrl).hostname) ?? [];
  return region === undefined ? undefined : `${provider}:${region}`;
}
