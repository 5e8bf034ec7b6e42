import { parseArgs } from 'node:util';
import { isAddress } from 'viem';
import { z } from 'zod';
import { storageIssues } from '../../src/catalog/metadata/portable-json.ts';
import { isKmsKey } from '../../src/accounts/kms-signer.ts';
import { UsageError } from '../usage-error.ts';
import { issuerOf, issuerOptions } from './issuer-options.ts';
import { keyOptions, keyRequestOf } from './key-options.ts';

export const USAGE = `npm run corporate -- --name NAME [--corporate-id ID] [--webhook-url URL] [--status ACTIVE|INACTIVE]
                         [--wallet-link-type TYPE] [--metadata JSON] [--target local|database] [--json]
                         [--rotate-webhook-secret] [--test-webhook]
                         [--kms-key ARN] [--relayer-wallet new|none|ARN] [--move-wallet NAME|ARN [--leave-contracts A,B]]
                         [--create-key NAME --key-scopes A,B [--key-kind live|test] [--key-addresses A,B] [--key-expires-at TIME]]
                         [--list-keys] [--revoke-key ID [--with-descendants]]
                         [--confirm-issuer NAME --issuer-logo URL --issuer-domain DOMAIN [--issuer-publishes-did] | --withdraw-issuer]

Creates a corporate account with its own wallet, or updates the account with this id. Omitted options change nothing.
  --name              the company's name; required for a new account
  --corporate-id      1 to 64 letters, digits, - and _; default: random
  --webhook-url       the URL that receives its events: https, or http in the local stack
  --status            INACTIVE: its requests are rejected within two seconds; ACTIVE: they are accepted (default)
  --wallet-link-type  DEDICATED (default) or another value of up to 64 characters
  --metadata          any JSON object; replaces the stored one
  --target            local: the local stack. database: DATABASE_URL. Required when a local stack runs and DATABASE_URL is set
  --json              print the account as JSON
  --rotate-webhook-secret
                      give the account a new webhook secret; the old one also signs for another 24 hours
  --test-webhook      send a signed event of type webhook.test to its URL from this machine and print the result; exit code 1
                      unless the response is 2xx
  --kms-key           the ARN of a key in AWS KMS (ECC_SECG_P256K1) that signs for its wallet; for a new account, or one that has
                      ordered nothing. Default for a new account: a new key in the secrets store
  --relayer-wallet    who pays for relayed requests. new: a new wallet; ARN: the wallet of a key in AWS KMS; none: the
                      account's main wallet. Accepted orders stay with their wallet
  --move-wallet       replace the main wallet of the paused account with that of a key in AWS KMS, or of a secret with this name, such as
                      wallet-2, which is created: wait for what is signed, transfer the contracts, move the coins, switch. Run it again
                      after a crash; it needs the RPC_URL_<chainId> of each chain that the account uses
  --leave-contracts   contracts that stay with the former wallet: those that cannot be transferred to another owner
  --create-key        create a key of the account with this name, and print it; it is shown once
  --key-scopes        its scopes: read, metadata, status, mint, transfer, deploy, ownership, revoke, webhooks, keys
  --key-kind          live: for main chains (default); test: for test chains
  --key-addresses     the addresses and CIDR ranges it can be used from; default: any
  --key-expires-at    when it expires, in ISO 8601 with a time zone; default: never
  --list-keys         print the account's keys that are not revoked
  --revoke-key        revoke the key with this id; it takes effect within two seconds
  --with-descendants  also revoke the keys that it created, and their descendants
  --confirm-issuer    confirm the account's public identity: the name, of up to 100 characters, that the certificate check shows
  --issuer-logo       the URL of its logo: https
  --issuer-domain     its domain, whose /.well-known/nft-issuer.json proves to the certificate check that the wallet is its own
  --issuer-publishes-did  its credentials name the domain as their issuer: /.well-known/did.json there has their keys
  --withdraw-issuer   withdraw the confirmation; it takes effect within a minute
The command prints the database it changes to stderr. The target "database" needs DATABASE_URL, ENCRYPTION_KEYS, AWS_REGION,
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; SECRETS_ENDPOINT and KMS_ENDPOINT if the stores are not those of AWS; and ENVIRONMENT (staging, or production by default),
which determines the name of the wallet's secret.
Exit codes: 0 success, 1 failure, 2 ambiguous target.
Examples:
  npm run corporate -- --name 'Example Watches' --webhook-url https://watches.example/hooks
  npm run corporate -- --name 'Example Watches' --kms-key arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab
  npm run corporate -- --corporate-id demo --create-key 'Shop back end' --key-scopes read,metadata,mint
  npm run corporate -- --corporate-id demo --list-keys --json
  npm run corporate -- --corporate-id demo --revoke-key 0190f3c1a2b4d5e6f7a8b9c0 --with-descendants`;

const stringOption = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** Of a main wallet's secret, the end of the name; relayers' are relayer-1, ... */
const WALLET_NAME = /^wallet[a-z0-9-]{0,32}$/;

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
  'kms-key': z.string().refine(isKmsKey, '--kms-key must be the ARN of a key or an alias in AWS KMS').optional(),
  'relayer-wallet': z
    .string()
    .refine(
      (choice) => choice === 'new' || choice === 'none' || isKmsKey(choice),
      '--relayer-wallet must be new, none or the ARN of a key in AWS KMS',
    )
    .optional(),
  'move-wallet': z
    .string()
    .refine(
      (key) => WALLET_NAME.test(key) || isKmsKey(key),
      '--move-wallet must be a name, such as wallet-2, or the ARN of a key in AWS KMS',
    )
    .optional(),
  'leave-contracts': z
    .string()
    .transform((list) => list.split(',').map((address) => address.trim()))
    .pipe(z.array(z.string().refine((address) => isAddress(address), '--leave-contracts must be addresses')))
    .optional(),
  ...keyOptions,
  ...issuerOptions,
});

/** @returns undefined if the text is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param args Of the command line.
 * @returns undefined if they ask for help.
 * @throws {UsageError} naming every issue.
 */
export function parseOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
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
      'kms-key': stringOption,
      'relayer-wallet': stringOption,
      'move-wallet': stringOption,
      'leave-contracts': stringOption,
      'create-key': stringOption,
      'key-scopes': stringOption,
      'key-kind': stringOption,
      'key-addresses': stringOption,
      'key-expires-at': stringOption,
      'list-keys': flag,
      'revoke-key': stringOption,
      'with-descendants': flag,
      'confirm-issuer': stringOption,
      'issuer-logo': stringOption,
      'issuer-domain': stringOption,
      'issuer-publishes-did': flag,
      'withdraw-issuer': flag,
      help: flag,
    },
  });
  if (values.help) return undefined;
  const parsed = optionsSchema.safeParse(values);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map((issue) => issue.message).join('\n'));
  const options = parsed.data;
  if (options.name === undefined && options['corporate-id'] === undefined) throw new UsageError('--name is required');
  if (options['rotate-webhook-secret'] && options['corporate-id'] === undefined) {
    throw new UsageError('--rotate-webhook-secret needs --corporate-id');
  }
  if (options['move-wallet'] !== undefined && options['corporate-id'] === undefined) {
    throw new UsageError('--move-wallet needs --corporate-id');
  }
  if (options['move-wallet'] !== undefined && options['kms-key'] !== undefined) {
    throw new UsageError('--move-wallet and --kms-key exclude each other');
  }
  if (options['leave-contracts'] !== undefined && options['move-wallet'] === undefined) {
    throw new UsageError('--leave-contracts needs --move-wallet');
  }
  if (options['revoke-key'] !== undefined && options['corporate-id'] === undefined) {
    throw new UsageError('--revoke-key needs --corporate-id');
  }
  return { ...options, keyRequest: keyRequestOf(options), issuer: issuerOf(options) };
}

export type Options = NonNullable<ReturnType<typeof parseOptions>>;
