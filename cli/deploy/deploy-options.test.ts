import { expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseDeployOptions } from './deploy-options.ts';

it.each<[string[], string]>([
  [['--env', 'local'], '--env must be staging or production'],
  [[], '--env must be staging or production'],
  [['--env', 'staging', '--domain', 'https://api.example.com'], '--domain must be a host name'],
])('refuses %j', (args, message) => {
  expect(() => parseDeployOptions(args)).toThrow(UsageError);
  expect(() => parseDeployOptions(args)).toThrow(message);
});
