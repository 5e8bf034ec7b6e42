import { describe, expect, it } from 'vitest';
import { redactionOf } from './redaction.ts';

const redact = redactionOf({
  GLOBAL_SECRET_KEY: 'partner-key-one, partner-key-two',
  ADMIN_SECRET_KEY: 'a+b/c=(admin)',
  DATABASE_URL: 'postgres://service:hunter2!@db.example/main?sslmode=require',
  LOCAL_DEV_PRIVATE_KEY: `0x${'ab'.repeat(32)}`,
  RPC_URL_43114: 'https://node.example/v3/0123456789abcdef, https://second.example/rpc?apikey=querykey',
  RPC_URL_43113: 'https://node.example/ext/bc/C/rpc',
  EXCHANGE_RATE_URL: 'https://keyasname@rates.example/',
  NFT_INDEX_URL: 'https://index.example/multichain/the-index-key',
  WEBHOOK_URL: 'https://hooks.example/T0/B0',
  METADATA_BASE_URI: 'https://service.example/metadata/tokens-of-all',
  ALLOWED_CHAIN_IDS: '43114,43113',
  MINT_QUEUE: { send: () => {} },
});

describe('redactionOf', () => {
  it.each([
    ['an API key', 'wrong key: partner-key-two.', 'wrong key: [redacted].'],
    ['a key with special characters', 'got a+b/c=(admin)', 'got [redacted]'],
    ['the same key, URL-encoded', 'got a%2Bb%2Fc%3D(admin)', 'got [redacted]'],
    ['a private key without its prefix', `key ${'AB'.repeat(32)}`, 'key [redacted]'],
    ['the password of the database', 'password hunter2! is wrong', 'password [redacted] is wrong'],
    [
      'a URL with a key in its path',
      'URL: https://node.example/v3/0123456789abcdef#3',
      'URL: https://node.example/[redacted]#3',
    ],
    ['a key from a path, alone', 'no project 0123456789abcdef', 'no project [redacted]'],
    ['the path alone', 'no route /v3/0123456789abcdef', 'no route /[redacted]'],
    [
      'a URL with a key in its query',
      'https://second.example/rpc?apikey=querykey',
      'https://second.example/[redacted]',
    ],
    ['a key from a query, alone', 'unknown querykey', 'unknown [redacted]'],
    ['the host in another case', 'NODE.EXAMPLE/v3/0123456789ABCDEF', 'node.example/[redacted]'],
    [
      'a path of plain words',
      'POST https://index.example/multichain/the-index-key',
      'POST https://index.example/[redacted]',
    ],
    [
      'a path of short words',
      'https://hooks.example/T0/B0 answered 500',
      'https://hooks.example/[redacted] answered 500',
    ],
  ])('redacts %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it('leaves public values, and words that merely occur in a setting', () => {
    for (const text of [
      'https://service.example/metadata/tokens-of-all/1 of chain 43114 on node.example, main rpc, bc, ext',
      'This service has no NFT index',
      'is required',
    ]) {
      expect(redact(text)).toBe(text);
    }
  });

  it('changes nothing when no secret is configured', () => {
    expect(redactionOf({})('text')).toBe('text');
  });
});
