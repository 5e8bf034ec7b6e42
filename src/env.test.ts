import { describe, expect, it } from 'vitest';
import { parseSettings } from './env.ts';

const complete = {
  GLOBAL_SECRET_KEY: 'key-one, key-two',
  ADMIN_SECRET_KEY: 'admin',
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
    if (error instanceof Error && error.name === 'SettingsError') return error.message;
    throw error;
  }
}

describe('parseSettings', () => {
  it('reads lists, numbers and flags, and fills in the defaults', () => {
    const settings = parseSettings({ ...complete, IN_FLIGHT_WINDOW: '16', TRANSFER_TEST_SIGNATURE: 'true' });
    expect(settings.GLOBAL_SECRET_KEY).toEqual(['key-one', 'key-two']);
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
    });
    for (const name of ['DATABASE_URL', 'ADMIN_SECRET_KEY', 'CONFIRMATIONS', 'RPC_URL_43114', 'RPC_URL_5']) {
      expect(message).toContain(name);
    }
  });

  it('never repeats a value in its error', () => {
    const message = faultsOf({ ...complete, LOCAL_DEV_PRIVATE_KEY: 'hunter2', DATABASE_URL: 'postgres-hunter2' });
    expect(message).toContain('LOCAL_DEV_PRIVATE_KEY');
    expect(message).not.toContain('hunter2');
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
