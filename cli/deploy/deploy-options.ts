import { parseArgs } from 'node:util';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';
import { DEPLOYED_ENVIRONMENTS } from './deployment.ts';

export const USAGE = `npm run nft -- deploy --env staging|production [--secrets-file FILE] [--domain NAME] [--check | --bundle]

Checks everything that can be checked before an upload, lists what is missing with the command that fixes it, and deploys if nothing is:
the core, beside the database, and then the edge, which callers reach.
  --env           the environment of wrangler.toml
  --secrets-file  JSON, {"NAME": "value", ...}: secrets to upload with the core. For the others, the checks read the values
                  of the environment variables of the same names, and the core uses what is stored at Cloudflare
  --domain        the custom domain of the edge
  --check         only check
  --bundle        only check wrangler.toml and build both Workers, which needs no values and no network
Exit codes: 0 success, 1 something is missing or failed.
Examples:
  npm run nft -- deploy --env staging --bundle
  npm run nft -- deploy --env production --secrets-file secrets.json --domain nft.example.com --check
  npm run nft -- deploy --env production --secrets-file secrets.json --domain nft.example.com`;

const optionsSchema = z.object({
  env: z.enum(DEPLOYED_ENVIRONMENTS, '--env must be staging or production'),
  'secrets-file': z.string().optional(),
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, '--domain must be a host name')
    .optional(),
  check: z.boolean(),
  bundle: z.boolean(),
});

/**
 * @param args Of the command line.
 * @returns undefined if they ask for help.
 * @throws {UsageError} naming every issue.
 */
export function parseDeployOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      env: { type: 'string' },
      'secrets-file': { type: 'string' },
      domain: { type: 'string' },
      check: { type: 'boolean', default: false },
      bundle: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const parsed = optionsSchema.safeParse(values);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map(({ message }) => message).join('\n'));
  return parsed.data;
}
