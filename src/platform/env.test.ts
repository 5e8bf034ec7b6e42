import { describe, expect, it } from 'vitest';
import { mainnet, testnet } from '../chains/definitions/avalanche.ts';
import { polygon } from '../chains/definitions/polygon.ts';
import { CHAINS } from '../chains/list.ts';
import { parseSettings } from './env.ts';

const apiKeys = ['1'.repeat(32), '2'.repeat(32)];

const complete = {
  ENVIRONMENT: 'production',
  GLOBAL_SECRET_KEY: apiKeys.join(', '),
  ADMIN_SECRET_KEY: 'a'.repeat(32),
  ENCRYPTION_KEYS: `k1.${btoa('1'.repeat(32))}`,
  DATABASE_URL: 'postgres://user:pw@db.example/main',
  RPC_URL_43114: 'https://one.example, https://two.example',
  RPC_URL_43113: 'https://test.example',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
};

const polygonOn = { ALLOWED_CHAIN_IDS: '43114,43113,137', RPC_URL_137: 'https://polygon.example' };

const windowAt = (IN_FLIGHT_WINDOW: string) =>
  parseSettings({ ...complete, IN_FLIGHT_WINDOW }).chains.get('43114')?.window;

function issuesOf(env: object): string {
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
    const settings = parseSettings({
      ...complete,
      ENVIRONMENT: 'local',
      IN_FLIGHT_WINDOW: '16',
      TRANSFER_TEST_SIGNATURE: 'true',
    });
    expect(settings.GLOBAL_SECRET_KEY).toEqual(apiKeys);
    expect(settings.chains.get('43114')?.rpcUrls).toEqual(['https://one.example', 'https://two.example']);
    expect(settings.IN_FLIGHT_WINDOW).toBe(16);
    expect(settings.TRANSFER_TEST_SIGNATURE).toBe(true);
    expect(settings.PK_CACHE_TTL_SECONDS).toBe(300);
    expect([...settings.chains.keys()]).toEqual(['43114', '43113']);
  });

  it('keeps replies for a day or more, bodies for 30 days, and logs and events for 90, unless told otherwise', () => {
    const defaults = {
      IDEMPOTENCY_HOURS: 24,
      WEBHOOK_BODY_RETENTION_DAYS: 30,
      WEBHOOK_LOG_RETENTION_DAYS: 90,
      EVENT_RETENTION_DAYS: 90,
    };
    expect(parseSettings(complete)).toMatchObject(defaults);
    expect(parseSettings({ ...complete, EVENT_RETENTION_DAYS: '7' })).toMatchObject({ EVENT_RETENTION_DAYS: 7 });
    expect(issuesOf({ ...complete, IDEMPOTENCY_HOURS: '23', EVENT_RETENTION_DAYS: '0' })).toBe(
      'Settings: IDEMPOTENCY_HOURS must be 24 or more; EVENT_RETENTION_DAYS must be 1 or more',
    );
  });

  it('keeps exchange rates for one to three minutes', () => {
    expect(parseSettings(complete).EXCHANGE_RATE_TTL_SECONDS).toBe(120);
    for (const seconds of [60, 180]) {
      const settings = parseSettings({ ...complete, EXCHANGE_RATE_TTL_SECONDS: String(seconds) });
      expect(settings.EXCHANGE_RATE_TTL_SECONDS).toBe(seconds);
    }
    for (const seconds of ['59', '181']) {
      expect(issuesOf({ ...complete, EXCHANGE_RATE_TTL_SECONDS: seconds })).toContain('EXCHANGE_RATE_TTL_SECONDS');
    }
  });

  it('gives a webhook 15 seconds, and waits ten before it is sent again, unless told otherwise', () => {
    const defaults = { WEBHOOK_TIMEOUT_SECONDS: 15, WEBHOOK_RETRY_BASE_SECONDS: 10 };
    expect(parseSettings(complete)).toMatchObject(defaults);
    const others = { WEBHOOK_TIMEOUT_SECONDS: '3', WEBHOOK_RETRY_BASE_SECONDS: '1' };
    expect(parseSettings({ ...complete, ...others })).toMatchObject({
      WEBHOOK_TIMEOUT_SECONDS: 3,
      WEBHOOK_RETRY_BASE_SECONDS: 1,
    });
  });

  it('leaves a second person a day to approve an order, or as many hours as it says', () => {
    expect(parseSettings(complete)).toMatchObject({ APPROVAL_HOURS: 24 });
    expect(parseSettings({ ...complete, APPROVAL_HOURS: '2' })).toMatchObject({ APPROVAL_HOURS: 2 });
    expect(issuesOf({ ...complete, APPROVAL_HOURS: '0' })).toBe('Settings: APPROVAL_HOURS must be 1 or more');
  });

  it('names every missing and malformed setting in one error', () => {
    const message = issuesOf({
      ...complete,
      DATABASE_URL: 'mysql://nope',
      ADMIN_SECRET_KEY: '',
      CONFIRMATIONS: 'many',
      ALLOWED_CHAIN_IDS: '43114,43113,137',
      RPC_URL_43114: 'https://node.example, https://NODE.example/',
      RPC_URL_43113: 'not a url',
      ENVIRONMENT: 'test',
      LOCAL_DEV_PRIVATE_KEY: '0x',
      CLOUDFLARE_ZONE_ID: 'zone',
    });
    for (const name of [
      'DATABASE_URL must be',
      'ADMIN_SECRET_KEY is missing',
      'CONFIRMATIONS must be',
      'RPC_URL_43114 must be a comma-separated list of different http URLs',
      'RPC_URL_43113 must be',
      'RPC_URL_137 is missing',
      'ENVIRONMENT must be one of local, staging, production',
      'LOCAL_DEV_PRIVATE_KEY must be',
      'LOCAL_DEV_PRIVATE_KEY is for development',
      'CLOUDFLARE_API_TOKEN is missing',
      'METADATA_BASE_URI is missing',
    ]) {
      expect(message).toContain(name);
    }
  });

  it('uses the numbers of the chain definitions', () => {
    const { chains } = parseSettings({ ...complete, ...polygonOn });
    expect(chains.get('43114')).toMatchObject(mainnet);
    expect(chains.get('43113')).toMatchObject(testnet);
    expect(chains.get('137')).toMatchObject(polygon);
  });

  it('raises a chain’s confirmations and finality by its own settings', () => {
    const { chains } = parseSettings({ ...complete, CONFIRMATIONS_43114: '3', FINALITY_43114: '12' });
    expect(chains.get('43114')).toMatchObject({ confirmations: 3, finality: 12 });
    expect(chains.get('43113')).toMatchObject({ confirmations: 1, finality: 1 });
  });

  it('raises every chain’s confirmations to CONFIRMATIONS, and lowers none', () => {
    const { chains } = parseSettings({ ...complete, ...polygonOn, CONFIRMATIONS: '3', CONFIRMATIONS_43113: '2' });
    expect(Array.from(chains.values(), ({ confirmations }) => confirmations)).toEqual([3, 3, polygon.confirmations]);
  });

  it('never sets finality below confirmations', () => {
    const { chains } = parseSettings({ ...complete, CONFIRMATIONS_43114: '7', FINALITY_43114: '2' });
    expect(chains.get('43114')).toMatchObject({ confirmations: 7, finality: 7 });
  });

  it.each(['CONFIRMATIONS_137', 'FINALITY_137'])('rejects a %s below the chain’s own', (name) => {
    expect(issuesOf({ ...complete, ...polygonOn, [name]: '4' })).toMatch(
      new RegExp(`^Settings: ${name} must be \\d+ or more$`),
    );
    expect(issuesOf({ ...complete, ...polygonOn, [name]: 'many' })).toContain(name);
  });

  it('takes the nodes of the certificate check from PUBLIC_RPC_URL_<chainId>, or else from the chain', () => {
    const { chains, IPFS_GATEWAY_URL } = parseSettings({
      ...complete,
      PUBLIC_RPC_URL_43114: 'https://a.example, https://b.example',
    });
    expect(chains.get('43114')?.publicRpcUrls).toEqual(['https://a.example', 'https://b.example']);
    expect(chains.get('43113')?.publicRpcUrls).toEqual(testnet.publicRpcUrls);
    expect(IPFS_GATEWAY_URL).toBe('https://ipfs.io');
    expect(issuesOf({ ...complete, PUBLIC_RPC_URL_43114: 'node' })).toContain('PUBLIC_RPC_URL_43114 must be');
    expect(issuesOf({ ...complete, IPFS_GATEWAY_URL: 'ipfs://x' })).toContain('IPFS_GATEWAY_URL must be');
  });

  it('takes https and mailto URLs for SECURITY_CONTACT, which is none by default', () => {
    expect(parseSettings(complete).SECURITY_CONTACT).toBeUndefined();
    for (const contact of ['mailto:security@a.example', 'https://a.example/report']) {
      expect(parseSettings({ ...complete, SECURITY_CONTACT: contact }).SECURITY_CONTACT).toBe(contact);
    }
    for (const contact of ['security@a.example', 'http://a.example', 'tel:1']) {
      expect(issuesOf({ ...complete, SECURITY_CONTACT: contact })).toContain('SECURITY_CONTACT must be');
    }
  });

  it('takes the limit of low balances from LOW_BALANCE_<chainId>, or else from the chain', () => {
    const { chains } = parseSettings({ ...complete, ...polygonOn, LOW_BALANCE_43114: '2.5' });
    expect(Array.from(chains.values(), ({ lowBalance }) => lowBalance)).toEqual([
      2_500_000_000_000_000_000n,
      testnet.lowBalance,
      polygon.lowBalance,
    ]);
    for (const wrong of ['-1', '1e3', 'much']) {
      expect(issuesOf({ ...complete, LOW_BALANCE_43114: wrong })).toContain('LOW_BALANCE_43114 must be');
    }
  });

  it('takes LANE_LOCATION where it is a region of the platform', () => {
    expect(parseSettings(complete).LANE_LOCATION).toBeUndefined();
    expect(parseSettings({ ...complete, LANE_LOCATION: 'weur' }).LANE_LOCATION).toBe('weur');
    expect(issuesOf({ ...complete, LANE_LOCATION: 'europe' })).toContain('LANE_LOCATION must be one of wnam');
  });

  it('takes IN_FLIGHT_WINDOW in place of the window of nonces of each chain', () => {
    expect(windowAt('16')).toBe(16);
    expect(windowAt('1000')).toBe(1_000);
    expect(windowAt('')).toBe(mainnet.window);
  });

  it('rejects a chain without a definition, and names those that have one', () => {
    expect(issuesOf({ ...complete, ALLOWED_CHAIN_IDS: '43114,5' })).toBe(
      `Settings: ALLOWED_CHAIN_IDS must be a comma-separated list of ids of these chains: ${CHAINS.map(({ id }) => id).join(', ')}`,
    );
  });

  it('reads numbers and booleans as their text, and rejects them when their text is invalid', () => {
    const settings = parseSettings({
      ...complete,
      ...polygonOn,
      ALLOWED_CHAIN_IDS: 137,
      PK_CACHE_TTL_SECONDS: 0,
      TRANSFER_TEST_SIGNATURE: false,
    });
    expect([...settings.chains.keys()]).toEqual(['137']);
    expect(settings.PK_CACHE_TTL_SECONDS).toBe(0);
    const issues = issuesOf({
      ...complete,
      CONFIRMATIONS: 0,
      PK_CACHE_TTL_SECONDS: -5,
      FINALITY_43114: 1.5,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: true,
    });
    for (const name of ['CONFIRMATIONS', 'PK_CACHE_TTL_SECONDS', 'FINALITY_43114', 'WEBHOOK_ALLOW_PRIVATE_TARGETS']) {
      expect(issues).toContain(name);
    }
  });

  it('rejects lists and objects as settings, and ignores bindings', () => {
    expect(issuesOf({ ...complete, MINT_QUEUE: { send: () => {} } })).toBe('');
    for (const name of [
      ...Object.keys(complete),
      'CONFIRMATIONS',
      'FINALITY_43113',
      'TRUSTED_FORWARDER_ADDRESS_43113',
    ]) {
      for (const value of [['43114'], {}]) {
        expect(issuesOf({ ...complete, [name]: value })).toContain(`Settings: ${name} must be`);
      }
    }
  });

  it.each(['METADATA_BASE_URI', 'ASSET_BASE_URL', 'S3_ENDPOINT'])(
    'rejects %s with credentials, a query or a fragment, because it is published',
    (name) => {
      for (const fits of ['https://a.example/m', 'http://127.0.0.1:8787/metadata']) {
        expect(issuesOf({ ...complete, [name]: fits })).toBe('');
      }
      for (const url of [
        'https://u:p@a.example/',
        'https://a.example/?k=1',
        'https://a.example/#f',
        'ipfs://a/b',
        'x',
      ]) {
        expect(issuesOf({ ...complete, [name]: url })).toContain(`Settings: ${name} must`);
      }
    },
  );

  it.each(['ADMIN_SECRET_KEY', 'GLOBAL_SECRET_KEY'])(
    'rejects %s with white space or other characters that a header cannot carry unchanged',
    (name) => {
      const key = 'k'.repeat(32);
      for (const value of [`${key} ${key}`, `${key}\t${key}`, `${key}\u00e9`, `${key}\0`]) {
        expect(issuesOf({ ...complete, [name]: value })).toContain(name);
      }
    },
  );

  it('rejects an admin key that is an API key with white space or a comma around it', () => {
    for (const value of [` ${apiKeys[0]}`, `${apiKeys[0]},`, `${apiKeys[0]}\n`]) {
      expect(issuesOf({ ...complete, ADMIN_SECRET_KEY: value })).toContain('ADMIN_SECRET_KEY must');
    }
  });

  it('reads ENCRYPTION_KEYS, the newest first', () => {
    const [one, two] = ['1', '2'].map((byte) => btoa(byte.repeat(32)));
    const { ENCRYPTION_KEYS: keys } = parseSettings({ ...complete, ENCRYPTION_KEYS: `k2.${two}, k1.${one}` });
    expect(keys.map(({ id }) => id)).toEqual(['k2', 'k1']);
    for (const value of [`${one}`, `k1.${one},`, `k1.${one},k1.${two}`, `k1.${btoa('short')}`, `k1:${one}`]) {
      expect(issuesOf({ ...complete, ENCRYPTION_KEYS: value })).toContain('ENCRYPTION_KEYS must be');
    }
  });

  it('reads CREDENTIAL_SECRETS, of which the first signs; without it no credentials are issued', () => {
    const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
    expect(parseSettings({ ...complete, CREDENTIAL_SECRETS: `${one}, ${two}` }).CREDENTIAL_SECRETS).toEqual([one, two]);
    expect(parseSettings(complete).CREDENTIAL_SECRETS).toBeUndefined();
    for (const value of ['short', `${one},short`, `${one.slice(1)} 1`, ' ']) {
      expect(issuesOf({ ...complete, CREDENTIAL_SECRETS: value })).toContain('CREDENTIAL_SECRETS must');
    }
  });

  it.each([
    ['AWS_REGION', 'eu-central-1\n'],
    ['AWS_ACCESS_KEY_ID', 'id '],
    ['AWS_SECRET_ACCESS_KEY', 'secret\n'],
    ['EXCHANGE_RATE_API_KEY', ' key'],
  ])('rejects %s with white space, with which every request would fail', (name, value) => {
    expect(issuesOf({ ...complete, [name]: value })).toContain(`Settings: ${name} must`);
  });

  it.each([
    ['zero', `0x${'0'.repeat(64)}`],
    ['above the order of the curve', `0x${'f'.repeat(64)}`],
    ['not hex', `0x${'g'.repeat(64)}`],
  ])('rejects a LOCAL_DEV_PRIVATE_KEY that is %s', (_, value) => {
    expect(issuesOf({ ...complete, ENVIRONMENT: 'local', LOCAL_DEV_PRIVATE_KEY: value })).toBe(
      'Settings: LOCAL_DEV_PRIVATE_KEY must be a 32-byte hex private key',
    );
  });

  it('never quotes a value in its error', () => {
    const message = issuesOf({ ...complete, LOCAL_DEV_PRIVATE_KEY: 'hunter2', DATABASE_URL: 'postgres-hunter2' });
    expect(message).toContain('LOCAL_DEV_PRIVATE_KEY');
    expect(message).not.toContain('hunter2');
  });

  it.each(Object.keys(complete))('requires %s', (name) => {
    expect(issuesOf({ ...complete, [name]: '' })).toBe(`Settings: ${name} is missing`);
  });

  it.each([
    ['WEBHOOK_ALLOW_PRIVATE_TARGETS', 'true'],
    ['LOCAL_DEV_PRIVATE_KEY', `0x${'1'.repeat(64)}`],
  ])('allows %s in the local environment only', (name, value) => {
    const issue = `Settings: ${name} is for development and allowed only when ENVIRONMENT is local`;
    expect(issuesOf({ ...complete, ENVIRONMENT: 'local', [name]: value })).toBe('');
    expect(issuesOf({ ...complete, ENVIRONMENT: 'staging', [name]: value })).toBe(issue);
    expect(issuesOf({ ...complete, ENVIRONMENT: 'production', [name]: value })).toBe(issue);
  });

  it('allows TRANSFER_TEST_SIGNATURE everywhere but in production', () => {
    const on = { ...complete, TRANSFER_TEST_SIGNATURE: 'true' };
    expect(issuesOf({ ...on, ENVIRONMENT: 'local' })).toBe('');
    expect(issuesOf({ ...on, ENVIRONMENT: 'staging' })).toBe('');
    expect(issuesOf({ ...on, ENVIRONMENT: 'production' })).toBe(
      'Settings: TRANSFER_TEST_SIGNATURE is for tests and must be false when ENVIRONMENT is production',
    );
  });

  it('rejects short keys, and an admin key that is also an API key', () => {
    const short = '1'.repeat(31);
    expect(issuesOf({ ...complete, GLOBAL_SECRET_KEY: `${apiKeys.join(',')},${short}` })).toContain(
      'GLOBAL_SECRET_KEY',
    );
    expect(issuesOf({ ...complete, ADMIN_SECRET_KEY: short })).toContain('ADMIN_SECRET_KEY must have 32');
    for (const apiKey of apiKeys) {
      expect(issuesOf({ ...complete, ADMIN_SECRET_KEY: apiKey })).toContain('ADMIN_SECRET_KEY must differ');
    }
  });

  describe('the trusted forwarder', () => {
    const a = '0x1111111111111111111111111111111111111111';
    const b = '0x2222222222222222222222222222222222222222';

    it('is set per chain', () => {
      const settings = { TRUSTED_FORWARDER_ADDRESS_43114: a, TRUSTED_FORWARDER_ADDRESS_43113: b };
      expect([...parseSettings({ ...complete, ...settings }).trustedForwarders]).toEqual([
        ['43114', a],
        ['43113', b],
      ]);
      expect(parseSettings(complete).trustedForwarders.size).toBe(0);
    });

    it('may omit the chain id when one chain is allowed, under either name', () => {
      for (const name of ['TRUSTED_FORWARDER_ADDRESS', 'TRUSTED_FORWARDER', 'TRUSTED_FORWARDER_ADDRESS_43114']) {
        const settings = parseSettings({ ...complete, ALLOWED_CHAIN_IDS: '43114', [name]: a });
        expect([...settings.trustedForwarders]).toEqual([['43114', a]]);
      }
    });

    it('must name its chain when several are allowed', () => {
      for (const name of ['TRUSTED_FORWARDER_ADDRESS', 'TRUSTED_FORWARDER']) {
        expect(issuesOf({ ...complete, [name]: a })).toBe(
          `Settings: ${name} must name its chain, as more than one is allowed: TRUSTED_FORWARDER_ADDRESS_<chainId>`,
        );
      }
    });

    it('may be set under several names only if they agree', () => {
      const one = { ...complete, ALLOWED_CHAIN_IDS: '43114', TRUSTED_FORWARDER: a };
      expect(issuesOf({ ...one, TRUSTED_FORWARDER_ADDRESS: a, TRUSTED_FORWARDER_ADDRESS_43114: a })).toBe('');
      for (const name of ['TRUSTED_FORWARDER_ADDRESS', 'TRUSTED_FORWARDER_ADDRESS_43114']) {
        expect(issuesOf({ ...one, [name]: b })).toContain('names another forwarder of chain 43114');
      }
    });

    it('must be an address', () => {
      const name = 'TRUSTED_FORWARDER_ADDRESS_43113';
      for (const value of ['0x12', `0x${'0'.repeat(40)}`]) {
        expect(issuesOf({ ...complete, [name]: value })).toBe(
          `Settings: ${name} must be a 20-byte hex address, not the zero address`,
        );
      }
    });
  });

  it('requires all of the settings for zone purging or none', () => {
    const zone = {
      CLOUDFLARE_ZONE_ID: 'zone',
      CLOUDFLARE_API_TOKEN: 'token',
      METADATA_BASE_URI: 'https://a.example/m',
    };
    expect(issuesOf({ ...complete, ...zone })).toBe('');
    for (const name of Object.keys(zone)) {
      expect(issuesOf({ ...complete, ...zone, [name]: '' })).toBe(`Settings: ${name} is missing`);
    }
  });
});
