import { describe, expect, it } from 'vitest';
import { parseSettings, SettingsError } from './env.ts';

const apiKeys = ['1'.repeat(32), '2'.repeat(32)];

const complete = {
  ENVIRONMENT: 'production',
  GLOBAL_SECRET_KEY: apiKeys.join(', '),
  ADMIN_SECRET_KEY: 'a'.repeat(32),
  DATABASE_URL: 'postgres://user:pw@db.example/main',
  RPC_URL_43114: 'https://one.example, https://two.example',
  RPC_URL_43113: 'https://test.example',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
};

function faultsOf(env: object): string {
  try {
    parseSettings(env);
    return '';
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
}

describe('parseSettings', () => {
  it('reads lists, numbers and flags, and fills in the defaults', () => {
    const settings = parseSettings({
      ...complete,
      ENVIRONMENT: 'local',
      IN_FLIGHT_WINDOW: '16',
      TRANSFER_TEST_SIGNATURE: 'true',
    });
    expect(settings.GLOBAL_SECRET_KEY).toEqual(apiKeys);
    expect(settings.rpcUrls.get('43114')).toEqual(['https://one.example', 'https://two.example']);
    expect(settings.IN_FLIGHT_WINDOW).toBe(16);
    expect(settings.TRANSFER_TEST_SIGNATURE).toBe(true);
    expect(settings.CONFIRMATIONS).toBe(1);
    expect(settings.PK_CACHE_TTL_SECONDS).toBe(300);
    expect(settings.ALLOWED_CHAIN_IDS).toEqual(['43114', '43113']);
  });

  it('names every missing and malformed setting in one error', () => {
    const message = faultsOf({
      ...complete,
      DATABASE_URL: 'mysql://nope',
      ADMIN_SECRET_KEY: '',
      CONFIRMATIONS: 'many',
      ALLOWED_CHAIN_IDS: '43114,5',
      RPC_URL_43114: 'not a url',
      ENVIRONMENT: 'test',
      LOCAL_DEV_PRIVATE_KEY: '0x',
      CLOUDFLARE_ZONE_ID: 'zone',
    });
    for (const name of [
      'DATABASE_URL must be',
      'ADMIN_SECRET_KEY is missing',
      'CONFIRMATIONS must be',
      'RPC_URL_43114 must be',
      'RPC_URL_5 is missing',
      'ENVIRONMENT must be one of local, staging, production',
      'LOCAL_DEV_PRIVATE_KEY must be',
      'LOCAL_DEV_PRIVATE_KEY is for development',
      'CLOUDFLARE_API_TOKEN is missing',
      'METADATA_BASE_URI is missing',
    ]) {
      expect(message).toContain(name);
    }
  });

  it('never repeats a value in its error', () => {
    const message = faultsOf({ ...complete, LOCAL_DEV_PRIVATE_KEY: 'hunter2', DATABASE_URL: 'postgres-hunter2' });
    expect(message).toContain('LOCAL_DEV_PRIVATE_KEY');
    expect(message).not.toContain('hunter2');
  });

  it.each(Object.keys(complete))('needs %s', (name) => {
    expect(faultsOf({ ...complete, [name]: '' })).toBe(`Settings: ${name} is missing`);
  });

  it.each([
    ['TRANSFER_TEST_SIGNATURE', 'true'],
    ['WEBHOOK_ALLOW_PRIVATE_TARGETS', 'true'],
    ['LOCAL_DEV_PRIVATE_KEY', `0x${'1'.repeat(64)}`],
  ])('allows %s in the local environment only', (name, value) => {
    const fault = `Settings: ${name} is for development and allowed only where ENVIRONMENT is local`;
    expect(faultsOf({ ...complete, ENVIRONMENT: 'local', [name]: value })).toBe('');
    expect(faultsOf({ ...complete, ENVIRONMENT: 'staging', [name]: value })).toBe(fault);
    expect(faultsOf({ ...complete, ENVIRONMENT: 'production', [name]: value })).toBe(fault);
  });

  it('refuses keys that are short, and an admin key that is an API key too', () => {
    const short = '1'.repeat(31);
    expect(faultsOf({ ...complete, GLOBAL_SECRET_KEY: `${apiKeys.join(',')},${short}` })).toContain(
      'GLOBAL_SECRET_KEY',
    );
    expect(faultsOf({ ...complete, ADMIN_SECRET_KEY: short })).toContain('ADMIN_SECRET_KEY must have 32');
    for (const apiKey of apiKeys) {
      expect(faultsOf({ ...complete, ADMIN_SECRET_KEY: apiKey })).toContain('ADMIN_SECRET_KEY must differ');
    }
  });

  it('takes the two names of the trusted forwarder only when they agree', () => {
    const a = '0x1111111111111111111111111111111111111111';
    expect(faultsOf({ ...complete, TRUSTED_FORWARDER: a, TRUSTED_FORWARDER_ADDRESS: a })).toBe('');
    expect(
      faultsOf({
        ...complete,
        TRUSTED_FORWARDER: a,
        TRUSTED_FORWARDER_ADDRESS: '0x2222222222222222222222222222222222222222',
      }),
    ).toContain('TRUSTED_FORWARDER');
  });

  it('takes the settings of zone purging all or none, and a public URL with them', () => {
    const zone = {
      CLOUDFLARE_ZONE_ID: 'zone',
      CLOUDFLARE_API_TOKEN: 'token',
      METADATA_BASE_URI: 'https://a.example/m',
    };
    expect(faultsOf({ ...complete, ...zone })).toBe('');
    for (const name of Object.keys(zone)) {
      expect(faultsOf({ ...complete, ...zone, [name]: '' })).toBe(`Settings: ${name} is missing`);
    }
  });
});
