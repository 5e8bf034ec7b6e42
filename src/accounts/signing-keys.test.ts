import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Hex } from 'viem';
import { endlessBody } from '../../test/fixtures/endless-body.ts';
import { localAccount } from './local-account.ts';
import { SigningKeyError } from '../engine/signer.ts';
import { createSigningKeys } from './signing-keys.ts';

const settings = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'aws-secret',
  SECRETS_ENDPOINT: 'https://secrets.example/',
  PK_CACHE_TTL_SECONDS: 300,
};
const key = generatePrivateKey();
const secretId = '/dapp/prod/corp/acme/wallet';
const accountOf = (privateKey: Hex) => ({
  id: '0'.repeat(24),
  corporateId: 'acme',
  walletAddress: privateKeyToAddress(privateKey),
  secretManagerKeyId: secretId,
});

const requests: Request[] = [];
let now = 0;
let answer: () => Response | Promise<Response>;
const secret = (text: string) => () => Response.json({ Name: secretId, SecretString: text });
const failure = (status: number, type: string) => () => Response.json({ __type: type, Message: 'no' }, { status });

beforeEach(() => {
  requests.length = 0;
  now = 0;
  answer = secret(JSON.stringify({ privateKey: key }));
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    requests.push(new Request(input, init));
    return await answer();
  });
});
afterEach(() => vi.restoreAllMocks());

const keysOf = (overrides: Partial<typeof settings> & { LOCAL_DEV_PRIVATE_KEY?: Hex } = {}) =>
  createSigningKeys({ ...settings, ...overrides }, { now: () => now });

/** The error that a promise rejects with. */
async function errorOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('The promise did not reject');
}

describe('createSigningKeys', () => {
  it('fetches the secret by name, in a signed request', async () => {
    const signer = await keysOf().loadSigner(accountOf(key));
    expect(signer.address).toBe(privateKeyToAddress(key));
    const [request] = requests;
    if (request === undefined) throw new Error('A request was expected');
    expect(request.url).toBe('https://secrets.example/');
    expect(request.headers.get('x-amz-target')).toBe('secretsmanager.GetSecretValue');
    expect(request.headers.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/secretsmanager\/aws4_request/,
    );
    expect(await request.json()).toEqual({ SecretId: secretId });
  });

  it('accepts a secret that is the key itself', async () => {
    answer = secret(key);
    expect((await keysOf().loadSigner(accountOf(key))).address).toBe(privateKeyToAddress(key));
  });

  it('fetches once for concurrent requests, and again when the key expires', async () => {
    const keys = keysOf();
    await Promise.all(Array.from({ length: 20 }, () => keys.loadSigner(accountOf(key))));
    now += 299_999;
    await keys.loadSigner(accountOf(key));
    expect(requests).toHaveLength(1);
    now += 1;
    await keys.loadSigner(accountOf(key));
    expect(requests).toHaveLength(2);
  });

  it('caches no key when the TTL is zero', async () => {
    const keys = keysOf({ PK_CACHE_TTL_SECONDS: 0 });
    await keys.loadSigner(accountOf(key));
    await keys.loadSigner(accountOf(key));
    expect(requests).toHaveLength(2);
  });

  it('rejects the key of another wallet, names both wallets, and accepts the right key once it is there', async () => {
    const other = generatePrivateKey();
    const keys = keysOf();
    const error = await errorOf(keys.loadSigner(accountOf(other)));
    expect(error).toBeInstanceOf(SigningKeyError);
    expect(error.message).toBe(
      `The key ${secretId} is that of ${privateKeyToAddress(key)}, not of the account's wallet ${privateKeyToAddress(other)}`,
    );
    answer = secret(other);
    expect((await keys.loadSigner(accountOf(other))).address).toBe(privateKeyToAddress(other));
  });

  it.each([
    ['something else', 'hunter2'],
    ['JSON without a key', '{"password":"hunter2"}'],
    ['a key that is too short', '0x1234'],
    ['zero', `0x${'0'.repeat(64)}`],
    ['a number above the order of the curve', `0x${'f'.repeat(64)}`],
  ])('rejects a secret that contains %s, and does not quote it', async (_, text) => {
    answer = secret(text);
    const error = await errorOf(keysOf().loadSigner(accountOf(key)));
    expect(error).toBeInstanceOf(SigningKeyError);
    expect(error.message).toBe(`The secret ${secretId} does not contain a private key`);
  });

  it('rejects when the secret does not exist', async () => {
    answer = failure(400, 'com.amazonaws.secretsmanager#ResourceNotFoundException');
    const error = await errorOf(keysOf().loadSigner(accountOf(key)));
    expect(error).toBeInstanceOf(SigningKeyError);
    expect(error.message).toBe(`The secrets store has no secret ${secretId}`);
  });

  it.each([
    [
      'it may not read the secret',
      failure(400, 'AccessDeniedException'),
      'The secrets store answered 400 (AccessDeniedException)',
    ],
    ['the store is down', failure(503, 'ServiceUnavailable'), 'The secrets store answered 503 (ServiceUnavailable)'],
    [
      'a proxy answers with an HTML page',
      () => new Response('<html>', { status: 502 }),
      'The secrets store answered 502 (no error type)',
    ],
    ['the response is empty', () => Response.json({}), 'The secrets store answered 200 (no error type)'],
    ['the connection fails', () => Promise.reject(new TypeError('down')), 'down'],
  ])('fails with an error that can be retried when %s', async (_, how, message) => {
    answer = how;
    const keys = keysOf();
    const error = await errorOf(keys.loadSigner(accountOf(key)));
    expect(error).not.toBeInstanceOf(SigningKeyError);
    expect(error.message).toBe(message);
    answer = secret(key);
    expect((await keys.loadSigner(accountOf(key))).address).toBe(privateKeyToAddress(key));
  });

  it('reads a reply up to its limit and no further', async () => {
    const endless = endlessBody();
    answer = () => new Response(endless.body);
    expect(await errorOf(keysOf().loadSigner(accountOf(key)))).not.toBeInstanceOf(SigningKeyError);
    expect(endless.bytes).toBeGreaterThan(0);
    expect(endless.bytes).toBeLessThan(1_024 * 1_024);
  });

  it("reads the built-in account's key from the setting", async () => {
    const account = localAccount(key);
    expect((await keysOf({ LOCAL_DEV_PRIVATE_KEY: key }).loadSigner(account)).address).toBe(account.walletAddress);
    expect(requests).toEqual([]);
    expect(await errorOf(keysOf().loadSigner(account))).toBeInstanceOf(SigningKeyError);
  });
});
