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

  it.each([
    [
      'a user name that is a key',
      'RPC_URL_1',
      'http://USERKEY0123456789abc:x@node.example/rpc',
      'USERKEY0123456789abc',
    ],
    ['a Basic header', 'RPC_URL_1', 'http://user:p%40ss@node.example', btoa('user:p@ss')],
    ['a Basic header of a name alone', 'RPC_URL_1', 'https://keyasname@node.example', btoa('keyasname:')],
    ['a query value with a plus, as it is', 'RPC_URL_1', 'https://a.example/?apikey=aGVs+bG8/d29y', 'aGVs+bG8/d29y'],
    ['the same, encoded', 'RPC_URL_1', 'https://a.example/?apikey=aGVs+bG8/d29y', 'aGVs%2BbG8%2Fd29y'],
    ['an encoded query value, decoded', 'RPC_URL_1', 'https://a.example/?apikey=aGVs%2BbG8', 'aGVs+bG8'],
    ['a half-encoded query value, encoded', 'RPC_URL_1', 'https://a.example/?apikey=a+b%2Fcdef', 'a%2Bb%2Fcdef'],
    ['a query that is a key alone', 'RPC_URL_1', 'https://a.example/rpc?0123456789abcdef', '0123456789abcdef'],
    ['a path key of letters', 'RPC_URL_1', 'https://a.example/v2/abcdefghijkl', 'abcdefghijkl'],
    ['a short path key in mixed case', 'RPC_URL_1', 'https://a.example/v2/abCDefGH', 'abCDefGH'],
    ['a password with a comma', 'DATABASE_URL', 'postgres://user:hunter,2secret@db.example/main', 'hunter,2secret'],
    ['a key with a comma', 'AWS_SECRET_ACCESS_KEY', 'abcd,efgh', 'abcd,efgh'],
    ['a malformed URL', 'RPC_URL_1', 'https://node.example:port/key', 'https://node.example:port/key'],
    ['a key given as a number', 'EXCHANGE_RATE_API_KEY', 12_345_678, '12345678'],
  ])('replaces %s', (_, name, value, secret) => {
    expect(redactionOf({ [name]: value })(`refused: ${secret}.`)).toBe('refused: [redacted].');
  });

  it('keeps a user name that is a word, and the hosts of several URLs', () => {
    const others = redactionOf({
      DATABASE_URL: 'postgres://service:hunter2!@db.example/main',
      RPC_URL_1: 'https://the-first.node.example/rpc,https://the-second.node.example/rpc',
    });
    const text = 'This service asks the-first.node.example and the-second.node.example';
    expect(others(text)).toBe(text);
  });

  it('changes nothing when no secret is configured', () => {
    expect(redactionOf({})('text')).toBe('text');
  });

  it.each([{}, { GLOBAL_SECRET_KEY: 'x'.repeat(32) }])(
    'takes out the keys of accounts, which no setting has: %j',
    (env) => {
      const key = `key_live_${'0a'.repeat(32)}`;
      for (const text of [key, key.replace('live', 'test'), key.toUpperCase(), key.slice(0, 20)]) {
        expect(redactionOf(env)(`sent ${text}, refused`)).toBe('sent [redacted], refused');
      }
      expect(redactionOf(env)('a key_pair, a live key')).toBe('a key_pair, a live key');
    },
  );
});
