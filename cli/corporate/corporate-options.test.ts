import { expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseOptions } from './corporate-options.ts';

const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

const issuer = (name: string, logo = 'https://acme.example/logo.svg', domain = 'acme.example') => [
  '--confirm-issuer',
  name,
  '--issuer-logo',
  logo,
  '--issuer-domain',
  domain,
];

it.each<[string[], string]>([
  [['--status', 'active'], '--status must be ACTIVE or INACTIVE'],
  [['--metadata', '{"tier":'], '--metadata must be a JSON object'],
  [['--metadata', '[]'], '--metadata must be a JSON object'],
  [['--metadata', '{"a":["\\u0000"]}'], '--metadata: $.a[0] must not contain the character U+0000'],
  [['--metadata', '{"a":"\\ud800"}'], '--metadata: $.a must be valid Unicode'],
  [['--wallet-link-type', ' '], '--wallet-link-type must not be empty'],
  [['--target', 'staging'], '--target must be local or database'],
  [['--relayer-wallet', 'other'], '--relayer-wallet must be new, none or the ARN of a key in AWS KMS'],
  [['--kms-key', 'alias/mint'], '--kms-key must be the ARN of a key or an alias in AWS KMS'],
  [['--move-wallet', 'relayer-1', '--corporate-id', 'acme'], '--move-wallet must be a name, such as wallet-2, or'],
  [['--move-wallet', 'wallet-2'], '--move-wallet needs --corporate-id'],
  [['--leave-contracts', `0x${'1'.repeat(40)}`], '--leave-contracts needs --move-wallet'],
  [
    ['--move-wallet', ARN, '--corporate-id', 'acme', '--leave-contracts', `0x${'1'.repeat(40)},0x2`],
    '--leave-contracts must be addresses',
  ],
  [
    ['--move-wallet', ARN, '--kms-key', ARN, '--corporate-id', 'acme'],
    '--move-wallet and --kms-key exclude each other',
  ],
  [['--create-key', 'A', '--key-scopes', 'mint,all'], '--key-scopes must be one of read, '],
  [['--create-key', 'A'], '--key-scopes is required'],
  [['--create-key', 'A', '--key-scopes', 'mint', '--key-addresses', '10.1.2.3/8'], '--key-addresses '],
  [
    ['--create-key', 'A', '--key-scopes', 'mint', '--key-expires-at', '2020-01-01T00:00:00Z'],
    '--key-expires-at must be in the future',
  ],
  [['--key-scopes', 'mint'], 'need --create-key'],
  [['--with-descendants'], '--with-descendants needs --revoke-key'],
  [['--revoke-key', '0'.repeat(24)], '--revoke-key needs --corporate-id'],
  [['--issuer-domain', 'acme.example'], 'need --confirm-issuer'],
  [['--issuer-publishes-did'], 'need --confirm-issuer'],
  [['--confirm-issuer', 'Acme', '--withdraw-issuer'], 'exclude each other'],
  [['--confirm-issuer', 'Acme'], '--issuer-logo is required\n--issuer-domain is required'],
  [issuer('A'.repeat(101)), '--confirm-issuer must be at most 100 characters'],
  [issuer('Ac\u200bme'), '--confirm-issuer must not contain control or invisible characters'],
  [issuer('\u202eemcA'), '--confirm-issuer must not contain control or invisible characters'],
  [issuer('Acme', 'http://acme.example/logo.svg'), '--issuer-logo must begin with https://'],
  [issuer('Acme', 'https://user@acme.example/'), '--issuer-logo must be a valid URL without credentials'],
  [issuer('Acme', undefined, 'https://acme.example'), '--issuer-domain must be a domain'],
  [issuer('Acme', undefined, 'acme.example/x'), '--issuer-domain must be a domain'],
  [issuer('Acme', undefined, '127.0.0.1'), '--issuer-domain must be a domain'],
  [issuer('Acme', undefined, 'localhost'), '--issuer-domain must be a domain'],
  [issuer('Acme', undefined, 'аcme.example'), '--issuer-domain must be a domain'],
])('refuses %j', (args, message) => {
  const parse = () => parseOptions(['--name', 'Acme', ...args]);
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(message);
});
