import { afterEach, describe, expect, it, vi } from 'vitest';
import { neededSecrets, readConfiguration, readDeployment, typedCommand } from './deployment.ts';

afterEach(() => vi.unstubAllEnvs());

describe('a deployment without a file of secrets', () => {
  it('takes only secrets from the shell: the Worker does not get its other variables', () => {
    for (const name of ['METADATA_BASE_URI', 'SECRETS_ENDPOINT', 'CLOUDFLARE_API_TOKEN', 'ADMIN_SECRET_KEY']) {
      vi.stubEnv(name, 'https://shell.example');
    }
    const { settings } = readDeployment('production', undefined, undefined);
    expect(Object.keys(settings)).not.toContain('METADATA_BASE_URI');
    expect(Object.keys(settings)).not.toContain('SECRETS_ENDPOINT');
    expect(Object.keys(settings)).not.toContain('CLOUDFLARE_API_TOKEN');
    expect(settings).toMatchObject({ ADMIN_SECRET_KEY: 'https://shell.example', ENVIRONMENT: 'production' });
  });
});

it("is of the environment that was asked for, whatever the shell's CLOUDFLARE_ENV", () => {
  vi.stubEnv('CLOUDFLARE_ENV', 'staging');
  const { configuration, wranglerOptions } = readDeployment('production', undefined, undefined);
  expect(configuration.vars['ENVIRONMENT']).toBe('production');
  // Wrangler reads the variable unless the option is given.
  expect(wranglerOptions).toEqual(['--env', '']);
  expect(typedCommand('deploy', ...wranglerOptions)).toBe('npx wrangler deploy --env ""');
});

it('a Worker that purges a zone needs the secret token for it', () => {
  const configuration = readConfiguration('production');
  expect(neededSecrets(configuration)).not.toContain('CLOUDFLARE_API_TOKEN');
  const vars = { ...configuration.vars, CLOUDFLARE_ZONE_ID: 'zone' };
  expect(neededSecrets({ ...configuration, vars })).toContain('CLOUDFLARE_API_TOKEN');
});
