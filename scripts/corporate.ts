// npm run corporate: creates or updates a corporate account, in the local stack or in the database of the environment.
import { parseArgs } from 'node:util';
import { getAddress } from 'viem';
import { z } from 'zod';
import { type AccountTarget, chooseTarget } from './accounts/account-target.ts';
import { keyOptions, keyRequestOf, manageKeys } from './accounts/key-options.ts';
import { fundWallet } from '../stack/fund-wallet.ts';
import { rotateWebhookSecret } from '../operations/accounts/rotate-webhook-secret.ts';
import { setRelayerWallet } from '../operations/accounts/set-relayer-wallet.ts';
import { sendTestEvent } from './accounts/send-test-event.ts';
import { upsertAccount } from '../operations/accounts/upsert-account.ts';
import { databaseName } from './database-name.ts';
import { UsageError } from './usage-error.ts';
import { urlIssue } from '../src/core/url-issue.ts';
import { storageIssues } from '../src/catalog/metadata/portable-json.ts';
import { targetIssue } from '../src/platform/egress/target-issue.ts';

const USAGE = `npm run corporate -- --name NAME [--corporate-id ID] [--webhook-url URL] [--status ACTIVE|INACTIVE]
                         [--wallet-link-type TYPE] [--metadata JSON] [--target local|database] [--json]
                         [--rotate-webhook-secret] [--test-webhook] [--relayer-wallet new|none]
                         [--create-key NAME --key-scopes A,B [--key-kind live|test] [--key-addresses A,B] [--key-expires-at TIME]]
                         [--list-keys] [--revoke-key ID [--with-descendants]]

Creates a corporate account with its own wallet, or updates the account with this id. Options that are not given change nothing.
  --name              the company's name; required for a new account
  --corporate-id      1 to 64 letters, digits, - and _; default: random
  --webhook-url       the URL that receives its events: https, or http in the local stack
  --status            INACTIVE: its requests are rejected, within two seconds; ACTIVE: they are accepted (default)
  --wallet-link-type  DEDICATED (default) or another value of up to 64 characters
  --metadata          any JSON object; replaces the stored one
  --target            local: the local stack. database: DATABASE_URL. Required when a local stack runs and DATABASE_URL is set
  --json              print the account as JSON
  --rotate-webhook-secret
                      give the account a new webhook secret; the old one also signs for 24 hours
  --test-webhook      send a signed event of type webhook.test to its URL from this machine and print the result; exit code 1
                      unless the response is 2xx
  --relayer-wallet    new: relayed requests are paid by a new wallet from now on; none: by the account's main wallet. Orders accepted
                      before stay with the wallet that they were accepted for
  --create-key        create a key of the account with this name, and print it; it is shown once
  --key-scopes        its scopes: read, metadata, status, mint, transfer, deploy, ownership, webhooks, keys
  --key-kind          live: for main chains (default); test: for test chains
  --key-addresses     the addresses and CIDR ranges from which it may be used; default: any
  --key-expires-at    when it expires, in ISO 8601 with a time zone; default: never
  --list-keys         print the account's keys that are not revoked
  --revoke-key        revoke the key with this id; it takes effect within two seconds
  --with-descendants  revoke the keys that it created as well, and those that they created
The database that is changed is printed to stderr. The target "database" needs DATABASE_URL, ENCRYPTION_KEYS, AWS_REGION,
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; SECRETS_ENDPOINT if the secrets store is not AWS; and ENVIRONMENT (staging, or production by default),
which determines the name of the wallet's secret.
Exit codes: 0 success, 1 failure, 2 ambiguous target.`;

const stringOption = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

const optionsSchema = z.object({
  name: z.string().trim().min(1, '--name must not be empty').max(200, '--name is too long').optional(),
  'corporate-id': z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, '--corporate-id must be 1 to 64 letters, digits, - and _')
    .optional(),
  'webhook-url': z.string().optional(),
  status: z.enum(['ACTIVE', 'INACTIVE'], '--status must be ACTIVE or INACTIVE').optional(),
  'wallet-link-type': z
    .string()
    .trim()
    .min(1, '--wallet-link-type must not be empty')
    .max(64, '--wallet-link-type is too long')
    .optional(),
  metadata: z
    .string()
    .transform(jsonOf)
    .pipe(z.record(z.string(), z.unknown(), '--metadata must be a JSON object'))
    .superRefine((metadata, context) => {
      for (const { path, message } of storageIssues(metadata)) context.addIssue(`--metadata: ${path} ${message}`);
    })
    .optional(),
  target: z.enum(['local', 'database'], '--target must be local or database').optional(),
  json: z.boolean(),
  'rotate-webhook-secret': z.boolean(),
  'test-webhook': z.boolean(),
  'relayer-wallet': z.enum(['new', 'none'], '--relayer-wallet must be new or none').optional(),
  ...keyOptions,
});

/** @returns undefined if the text is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      name: stringOption,
      'corporate-id': stringOption,
      'webhook-url': stringOption,
      status: stringOption,
      'wallet-link-type': stringOption,
      metadata: stringOption,
      target: stringOption,
      json: flag,
      'rotate-webhook-secret': flag,
      'test-webhook': flag,
      'relayer-wallet': stringOption,
      'create-key': stringOption,
      'key-scopes': stringOption,
      'key-kind': stringOption,
      'key-addresses': stringOption,
      'key-expires-at': stringOption,
      'list-keys': flag,
      'revoke-key': stringOption,
      'with-descendants': flag,
      help: flag,
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const parsed = optionsSchema.safeParse(values);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map((issue) => issue.message).join('\n'));
  const options = parsed.data;
  if (options.name === undefined && options['corporate-id'] === undefined) throw new UsageError('--name is required');
  if (options['rotate-webhook-secret'] && options['corporate-id'] === undefined) {
    throw new UsageError('--rotate-webhook-secret needs --corporate-id');
  }
  if (options['revoke-key'] !== undefined && options['corporate-id'] === undefined) {
    throw new UsageError('--revoke-key needs --corporate-id');
  }
  return { ...options, keyRequest: keyRequestOf(options) };
}

type Options = ReturnType<typeof parseOptions>;

async function writeAccount(options: Options, { stores, localRpcUrls }: AccountTarget) {
  const { name, 'corporate-id': corporateId, 'webhook-url': webhookUrl, status, metadata } = options;
  if (options['rotate-webhook-secret'] && corporateId !== undefined) {
    await rotateWebhookSecret(corporateId, stores);
  }
  const account = await upsertAccount(
    { name, corporateId, webhookUrl, status, walletLinkType: options['wallet-link-type'], metadata },
    stores,
  );
  const choice = options['relayer-wallet'];
  const relayerAddress =
    choice === undefined ? account.relayerAddress : await setRelayerWallet(account.corporateId, choice, stores);
  await fundWallet(getAddress(account.walletAddress), localRpcUrls);
  if (relayerAddress !== undefined) await fundWallet(getAddress(relayerAddress), localRpcUrls);
  return { ...account, relayerAddress };
}

async function main(): Promise<void> {
  const options = parseOptions();
  const target = chooseTarget(options.target);
  const { databaseUrl } = target.stores;
  const webhookUrl = options['webhook-url'];
  const issue =
    webhookUrl === undefined
      ? undefined
      : (targetIssue(webhookUrl, target.name === 'local') ?? urlIssue(webhookUrl, 'page'));
  if (issue !== undefined) throw new UsageError(`--webhook-url ${issue}`);
  console.error(`Database: ${databaseName(databaseUrl)}${target.name === 'local' ? ' (local stack)' : ''}`);

  const account = await writeAccount(options, target);
  const testWebhook = options['test-webhook']
    ? await sendTestEvent(account.corporateId, { stores: target.stores, ...target.webhooks })
    : undefined;
  if (testWebhook?.delivered === false) process.exitCode = 1;

  const keys = await manageKeys(account.corporateId, options.keyRequest, databaseUrl);
  if (options.json) {
    console.log(JSON.stringify({ ...account, ...keys, ...(testWebhook === undefined ? {} : { testWebhook }) }));
    return;
  }
  for (const [field, value] of Object.entries(account)) {
    if (value !== undefined) console.log(`${field.padEnd(18)} ${value}`);
  }
  for (const [field, value] of Object.entries(keys)) {
    const items = [value].flat().map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    for (const item of items) console.log(`${field.padEnd(18)} ${item}`);
  }
  if (testWebhook !== undefined) {
    console.log(`Test event ${testWebhook.webhookId} to ${testWebhook.target}: ${testWebhook.outcome}`);
  }
}

try {
  await main();
} catch (error) {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  const reason =
    error instanceof AggregateError
      ? error.errors.map(String).join('; ')
      : String(error instanceof Error ? error.message : error);
  console.error(isUsage ? `${reason}\n\n${USAGE}` : reason);
  process.exitCode = error instanceof UsageError ? error.exitCode : 1;
}
