import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBackingServices, type BackingServices } from '../../stack/backing-services.ts';
import { processCommand } from '../../cli/local-stack/process-command.ts';
import { stackSettingsFile } from '../../cli/local-stack/stack-files.ts';
import { runCorporate } from '../../cli/corporate/run-corporate.ts';
import { runCommand, type CommandResult } from './support/run-command.ts';
import { NFT, runScript } from './support/run-script.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

let dataDir: string;
let services: BackingServices;
/** Another database on the same server, for DATABASE_URL. */
let otherUrl: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-corporate-'));
  services = await startBackingServices({ dataDir, baseUrl: 'http://127.0.0.1:9' });
  otherUrl = services.databaseUrl.replace(/\/[^/]*$/, '/other');
  await query(services.databaseUrl, 'CREATE DATABASE other');
  const migrate = runScript(NFT, ['migrate'], { DATABASE_URL: otherUrl });
  if ((await migrate.ended) !== 0) throw new Error(migrate.output());
  const { rpcUrls, workerSettings: worker } = services;
  const settings = { pid: process.pid, command: processCommand(process.pid), rpcUrls, worker };
  await writeFile(stackSettingsFile(dataDir), JSON.stringify(settings));
});

afterAll(async () => {
  await services.stop();
  await removeStackDirectory(dataDir);
});

async function query(databaseUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const accountsOf = async (databaseUrl: string) =>
  (await query(databaseUrl, 'SELECT corporate_id FROM corporate_accounts')).map((row) => row['corporate_id']);

const environment = (env: Readonly<Record<string, string>>) => ({ STACK_DIR: dataDir, DATABASE_URL: '', ...env });

const corporate = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  runCommand(runCorporate, args, environment(env));

/** Runs it as the script that npm runs. */
async function corporateScript(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const run = runScript(NFT, ['corporate', ...args], environment(env));
  const code = await run.ended;
  return { code, stdout: run.stdout(), output: run.output() };
}

/** An operator's environment for the other database. */
const operator = () => {
  const {
    AWS_REGION = '',
    AWS_ACCESS_KEY_ID = '',
    AWS_SECRET_ACCESS_KEY = '',
    ENCRYPTION_KEYS = '',
    SECRETS_ENDPOINT = '',
  } = services.workerSettings;
  const secrets = { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ENCRYPTION_KEYS, SECRETS_ENDPOINT };
  return { DATABASE_URL: otherUrl, ...secrets };
};

/** An environment without a local stack. */
const none = () => ({ STACK_DIR: join(dataDir, 'none'), AWS_REGION: 'eu-west-3' });

describe('npm run corporate with a running local stack and DATABASE_URL', () => {
  it('changes nothing and exits with 2 unless --target is given', async () => {
    const run = await corporateScript(['--name', 'Acme', '--corporate-id', 'ambiguous'], operator());
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.output).toContain('--target local or --target database');
    expect(await accountsOf(services.databaseUrl)).not.toContain('ambiguous');
    expect(await accountsOf(otherUrl)).not.toContain('ambiguous');
  });

  it.each([
    ['local', () => services.databaseUrl, () => otherUrl, 'dev'],
    ['database', () => otherUrl, () => services.databaseUrl, 'prod'],
  ])('with --target %s changes only that database, and prints its name to stderr', async (target, own, other, env) => {
    const id = `to-${target}`;
    const run = await corporate(['--name', 'Acme', '--corporate-id', id, '--target', target, '--json'], operator());
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      corporateId: id,
      secretManagerKeyId: `/dapp/${env}/corp/${id}/wallet`,
    });
    const { host, pathname, password } = new URL(own());
    expect(run.output).toContain(`Database: ${host}${pathname}`);
    expect(run.output).not.toContain(password);
    expect(await accountsOf(own())).toContain(id);
    expect(await accountsOf(other())).not.toContain(id);
  });

  it('stores the keys of staging and production under different paths', async () => {
    const args = ['--name', 'Acme', '--corporate-id', 'staged', '--target', 'database', '--json'];
    const run = await corporateScript(args, { ...operator(), ENVIRONMENT: 'staging' });
    expect(JSON.parse(run.stdout)).toMatchObject({ secretManagerKeyId: '/dapp/dev/corp/staged/wallet' });
  });
});

const logo = 'https://acme.example/a.svg';
/** The options that confirm an issuer with a domain, and the columns that follow from them. */
const confirming = (domain: string) => [
  '--confirm-issuer',
  ' Acme Ltd',
  '--issuer-logo',
  logo,
  '--issuer-domain',
  domain,
];
const confirmed = (domain: string) => ['Acme Ltd', logo, domain, true];

describe('npm run corporate', () => {
  it('sets the given fields of an account, and no others', async () => {
    const id = ['--corporate-id', 'fields'];
    expect((await corporate(['--name', 'Fields', ...id], {})).code).toBe(0);
    const fields = ['--status', 'INACTIVE', '--wallet-link-type', 'SHARED', '--metadata', '{"tier":1}'];
    expect((await corporate([...id, ...fields], {})).code).toBe(0);
    expect((await corporate([...id, '--status', 'ACTIVE'], {})).code).toBe(0);
    const columns = 'corporate_name, status, wallet_link_type, metadata';
    expect(
      await query(services.databaseUrl, `SELECT ${columns} FROM corporate_accounts WHERE corporate_id = 'fields'`),
    ).toEqual([{ corporate_name: 'Fields', status: 'ACTIVE', wallet_link_type: 'SHARED', metadata: { tier: 1 } }]);
  });

  it('confirms who an account is, changes that and withdraws it', async () => {
    const id = ['--corporate-id', 'issuer'];
    const issuerOf = async (...args: string[]) => {
      expect((await corporate([...id, ...args], {})).code).toBe(0);
      const columns = 'issuer_name, issuer_logo_url, issuer_domain, issuer_confirmed_at IS NOT NULL AS is_confirmed';
      const [row] = await query(
        services.databaseUrl,
        `SELECT ${columns} FROM corporate_accounts WHERE corporate_id = 'issuer'`,
      );
      return Object.values(row ?? {});
    };
    expect(await issuerOf('--name', 'Acme')).toEqual([null, null, null, false]);
    expect(await issuerOf(...confirming('acme.example'))).toEqual(confirmed('acme.example'));
    expect(await issuerOf('--status', 'ACTIVE')).toEqual(confirmed('acme.example'));
    expect(await issuerOf(...confirming('acme.test'))).toEqual(confirmed('acme.test'));
    expect(await issuerOf('--withdraw-issuer')).toEqual([null, null, null, false]);
  });

  it('gives an account a relayer wallet, replaces it and removes it; each key stays in the secrets store', async () => {
    const args = ['--name', 'Relayed', '--corporate-id', 'relayed', '--json'];
    const relayerOf = async (...more: string[]) => {
      const run = await corporate([...args, ...more], {});
      expect(run.code).toBe(0);
      return JSON.parse(run.stdout).relayerAddress as string | undefined;
    };
    expect(await relayerOf()).toBeUndefined();
    const first = await relayerOf('--relayer-wallet', 'new');
    expect(await relayerOf()).toBe(first);
    const [second, third] = await Promise.all([
      relayerOf('--relayer-wallet', 'new'),
      relayerOf('--relayer-wallet', 'new'),
    ]);
    expect([second, third]).toContain(await relayerOf());
    expect(await relayerOf('--relayer-wallet', 'none')).toBeUndefined();
    expect(await relayerOf()).toBeUndefined();
    const rows = await query(
      services.databaseUrl,
      `SELECT w.address, w.secret_id, w.replaced_at IS NULL AS is_current FROM relayer_wallets w
       JOIN corporate_accounts a ON a.id = w.corporate_account_id WHERE a.corporate_id = 'relayed' ORDER BY w.secret_id`,
    );
    expect(new Set(rows.map(({ address }) => address))).toEqual(new Set([first, second, third]));
    expect(rows.map(({ secret_id: name, is_current: isCurrent }) => [name, isCurrent])).toEqual([
      ['/dapp/dev/corp/relayed/relayer-1', false],
      ['/dapp/dev/corp/relayed/relayer-2', false],
      ['/dapp/dev/corp/relayed/relayer-3', false],
    ]);
  });

  it('takes wallets whose keys are in KMS, each for one account and one use', async () => {
    const [main, relayer] = [services.walletKey('alias/main'), services.walletKey('alias/relayer')];
    const args = ['--corporate-id', 'in-kms', '--json'];
    const created = await corporate(['--name', 'In KMS', ...args, '--kms-key', main, '--relayer-wallet', relayer], {});
    expect(created.code).toBe(0);
    const account = JSON.parse(created.stdout);
    expect(account).toMatchObject({ secretManagerKeyId: main, relayerAddress: expect.stringMatching(/^0x/) });
    expect(account.relayerAddress).not.toBe(account.walletAddress);
    const relayerOf = async (choice: string) =>
      JSON.parse((await corporate([...args, '--relayer-wallet', choice], {})).stdout).relayerAddress;
    expect(await relayerOf('none')).toBeUndefined();
    // Back to one that was replaced.
    expect(await relayerOf(relayer)).toBe(account.relayerAddress);
    const same = await corporate([...args, '--relayer-wallet', main], {});
    expect([same.code, same.output]).toEqual([1, expect.stringContaining("is the main wallet's")]);
    const other = ['--name', 'Other', '--corporate-id', 'in-kms-too', '--relayer-wallet', relayer];
    const taken = await corporate(other, {});
    expect([taken.code, taken.output]).toEqual([1, expect.stringContaining('is also the wallet of another account')]);
  });
});

describe('npm run corporate without a stack', () => {
  it('lists the missing variables', async () => {
    const run = await corporate(['--name', 'Acme'], none());
    expect(run.code).toBe(1);
    expect(run.output).toContain(
      'missing or malformed: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ENCRYPTION_KEYS, DATABASE_URL',
    );
  });

  it('does not take the settings of a killed stack for those of a running one', async () => {
    const stale = await mkdtemp(join(tmpdir(), 'stack-stale-'));
    const settings = { pid: process.pid, command: 'another program', rpcUrls: {}, worker: services.workerSettings };
    await writeFile(stackSettingsFile(stale), JSON.stringify(settings));
    const run = await corporate(['--name', 'Acme', '--target', 'local'], { STACK_DIR: stale });
    expect([run.code, run.output]).toEqual([1, expect.stringContaining('No local stack is running')]);
    await rm(stale, { recursive: true });
  });

  it('with --target database lists the missing variables and does not mention a local stack', async () => {
    const run = await corporate(['--name', 'Acme', '--target', 'database'], none());
    expect([run.code, run.output]).toEqual([1, expect.stringContaining('These environment variables are missing')]);
    expect(run.output).not.toContain('npm run dev');
  });

  it('names the database that the driver writes to, even if options of the URL override its host', async () => {
    const url = new URL(otherUrl);
    const { host, hostname, port, pathname } = url;
    url.host = 'db.example';
    url.searchParams.set('host', hostname);
    url.searchParams.set('port', port);
    const args = ['--name', 'Acme', '--corporate-id', 'elsewhere'];
    const run = await corporate(args, { ...operator(), ...none(), AWS_REGION: 'eu-central-1', DATABASE_URL: url.href });
    expect(run.output).toContain(`Database: ${host}${pathname}\n`);
    expect(await accountsOf(otherUrl)).toContain('elsewhere');
  });

  it('says which secrets store does not answer, and why', async () => {
    const run = await corporate(['--name', 'Acme'], {
      ...operator(),
      ...none(),
      SECRETS_ENDPOINT: 'http://127.0.0.1:1/',
    });
    expect([run.code, run.output]).toEqual([
      1,
      expect.stringMatching(/The secrets store at 127\.0\.0\.1:1 does not answer: .*(ECONNREFUSED|bad port)/),
    ]);
  });

  it('says that KMS does not answer, and why', async () => {
    const run = await corporate(['--name', 'Acme', '--kms-key', services.walletKey('alias/silent')], {
      ...operator(),
      ...none(),
      KMS_ENDPOINT: 'http://127.0.0.1:1/',
    });
    expect([run.code, run.output]).toEqual([
      1,
      expect.stringMatching(/The key in KMS cannot be used: .*(ECONNREFUSED|bad port)/),
    ]);
  });

  it('refuses --target local', async () => {
    const run = await corporate(['--name', 'Acme', '--target', 'local'], { ...operator(), ...none() });
    expect([run.code, run.output]).toEqual([1, expect.stringContaining('No local stack is running')]);
  });

  it.each([
    ['http://acme.example', 'must be an https URL'],
    ['https://acme.example/a\nb', 'must not contain spaces'],
  ])('refuses the webhook URL %j', async (url, issue) => {
    const run = await corporate(['--name', 'Acme', '--webhook-url', url], { ...operator(), ...none() });
    expect([run.code, run.output]).toEqual([1, expect.stringContaining(`--webhook-url ${issue}`)]);
  });
});

// oxlint-disable-next-line typescript/no-explicit-any -- the tests state what they expect of the output
async function asJson(...args: string[]): Promise<any> {
  const run = await corporate(['--target', 'local', '--corporate-id', 'keyed', '--json', ...args], {});
  if (run.code !== 0) throw new Error(run.output);
  return JSON.parse(run.stdout);
}

const runRecorded = (...args: string[]) =>
  corporate(['--target', 'local', '--corporate-id', 'recorded', '--json', ...args], {});

describe('npm run corporate and the keys of an account', () => {
  it('creates a key, prints it once, lists it, and revokes it, with its descendants on request', async () => {
    const made = await asJson(
      '--name=Keyed',
      '--create-key=Shop',
      '--key-scopes=mint,read',
      '--key-kind=test',
      '--key-addresses=203.0.113.0/24, 2001:db8::/32',
      '--key-expires-at=2090-01-01T00:00:00Z',
    );
    const { key, ...shown } = made.key;
    expect(key).toMatch(/^key_test_[0-9a-f]{64}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Shop',
      kind: 'test',
      scopes: ['read', 'mint'],
      allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'],
      expiresAt: '2090-01-01T00:00:00.000Z',
    });
    const [{ hash }] = (await query(
      services.databaseUrl,
      `SELECT hash FROM account_keys WHERE id = '${shown.id}'`,
    )) as [{ hash: string }];
    expect(hash).toBe(createHash('sha256').update(key).digest('hex'));
    await query(
      services.databaseUrl,
      `INSERT INTO account_keys (id, corporate_account_id, parent_id, kind, name, hash, scopes)
       SELECT 'child', corporate_account_id, id, kind, 'Child', 'child', scopes FROM account_keys WHERE id = '${shown.id}'`,
    );
    const listed = await asJson('--list-keys');
    expect(listed.keys.map(({ id }: { id: string }) => id)).toEqual(['child', shown.id]);
    expect(JSON.stringify(listed)).not.toContain(key);
    expect([made.webhookSecret, listed.webhookSecret]).toEqual([expect.stringMatching(/^whsec_/), undefined]);
    const printed = await corporate(
      ['--target', 'local', '--corporate-id', 'keyed', '--create-key=Till', '--key-scopes=mint'],
      {},
    );
    expect(printed.stdout).toMatch(/^export NFT_KEY=key_live_[0-9a-f]{64}$/m);
    expect(printed.stdout).not.toContain('whsec_');
    const till = (await asJson('--list-keys')).keys.find(({ name }: { name: string }) => name === 'Till');
    await asJson('--revoke-key', till.id);
    await asJson('--revoke-key', shown.id);
    expect((await asJson('--list-keys')).keys).toEqual([expect.objectContaining({ id: 'child', parentId: shown.id })]);
    expect((await asJson('--revoke-key', shown.id, '--with-descendants', '--list-keys')).keys).toEqual([]);
  });

  it('records each change in the audit log, without the secrets, and nothing when it only reads or fails', async () => {
    const created = await runRecorded('--name=Recorded', '--create-key=Shop', '--key-scopes=mint');
    const { _id: id, key } = JSON.parse(created.stdout);
    const { webhookSecret } = JSON.parse((await runRecorded('--rotate-webhook-secret')).stdout);
    await runRecorded('--status=INACTIVE');
    await runRecorded('--revoke-key', key.id);
    expect((await runRecorded('--list-keys')).code).toBe(0);
    expect((await runRecorded('--revoke-key', '0'.repeat(24))).code).toBe(1);
    const [endpoint] = await query(
      services.databaseUrl,
      `SELECT id FROM webhook_endpoints WHERE corporate_account_id = '${id}'`,
    );
    const rows = await query(
      services.databaseUrl,
      `SELECT * FROM audit_log WHERE corporate_account_id = '${id}' ORDER BY id`,
    );
    expect(rows.map(({ actor, method, route, resource_ids: ids }) => [actor, method, route, ids])).toEqual([
      ['command', 'COMMAND', 'account', [id]],
      ['command', 'COMMAND', 'create-key', [key.id]],
      ['command', 'COMMAND', 'rotate-webhook-secret', [endpoint?.['id']]],
      ['command', 'COMMAND', 'account', [id]],
      ['command', 'COMMAND', 'revoke-key', [key.id]],
    ]);
    for (const secret of [key.key, webhookSecret]) expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('cannot revoke a key that does not exist', async () => {
    const run = await corporate(['--target', 'local', '--corporate-id', 'keyed', '--revoke-key', '0'.repeat(24)], {});
    expect([run.code, run.output]).toEqual([1, expect.stringContaining('The account keyed has no key')]);
  });
});
