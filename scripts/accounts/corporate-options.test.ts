import { expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseOptions } from './corporate-options.ts';

it.each<[string[], string]>([
  [['--status', 'active'], '--status must be ACTIVE or INACTIVE'],
  [['--metadata', '{"tier":'], '--metadata must be a JSON object'],
  [['--metadata', '[]'], '--metadata must be a JSON object'],
  [['--metadata', '{"a":["\\u0000"]}'], '--metadata: $.a[0] must not contain the character U+0000'],
  [['--metadata', '{"a":"\\ud800"}'], '--metadata: $.a must be valid Unicode'],
  [['--wallet-link-type', ' '], '--wallet-link-type must not be empty'],
  [['--target', 'staging'], '--target must be local or database'],
  [['--relayer-wallet', 'other'], '--relayer-wallet must be new or none'],
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
])('refuses %j', (args, message) => {
  const parse = () => parseOptions(['--name', 'Acme', ...args]);
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(message);
});
