import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkRecord } from './check-record.ts';
import { formsOf } from './find-secrets.ts';
import { recordSettings, removeStackDirectory } from './record-stack.ts';
import { recordServiceReply } from './reply-recorder.ts';
import { OUTPUT_OF_RUN, recordError, recordLog, recordSecret } from './run-record.ts';
import { expectErrors, missingErrors, ownErrorsWith, startFile, unexpectedErrors } from './service-errors.ts';

const SECRET = 'Zq7+w/3"x9é~k2Lm0pRt';
const PRIVATE_KEY = `0x${'9c3f51e7'.repeat(8)}`;
const WEBHOOK_SECRET = `whsec_${Buffer.from('thirty-two bytes of a secret 123').toString('base64')}`;
const ACCOUNT_KEY = `key_live_${'4fK9'.repeat(16)}`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nft-record-'));
  vi.stubEnv('TEST_RUN_RECORD', directory);
  // Of a run that leaks nothing.
  recordLog('the log of a Worker', '{"event":"ok"}');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

const reply = (text: string, status = 200) => ({ status, headers: [['x-request-id', '1']] as const, text });
const request = (method: string, path: string, body?: unknown) => ({ method, path, body: JSON.stringify(body) });

/** @returns the error's message. */
function leaks(): string {
  try {
    checkRecord(directory);
    return 'none';
  } catch (error) {
    return String(error);
  }
}

describe('a secret is found', () => {
  const inText: [string, string, string][] = [
    ['as it is', SECRET, SECRET],
    ['in other case', SECRET, SECRET.toUpperCase()],
    ['in JSON', SECRET, JSON.stringify({ text: SECRET })],
    ['in JSON in JSON', PRIVATE_KEY, JSON.stringify(JSON.stringify({ text: PRIVATE_KEY }))],
    ['URL-encoded', SECRET, `https://example.com/?key=${encodeURIComponent(SECRET)}`],
    ['in hex', SECRET, Buffer.from(`a: ${SECRET}`).toString('hex')],
    ['in base64', SECRET, Buffer.from(SECRET).toString('base64')],
    ['in base64, after one byte', SECRET, Buffer.from(`:${SECRET}:`).toString('base64')],
    ['in base64, after two bytes', SECRET, Buffer.from(`::${SECRET}::`).toString('base64')],
    ['in base64url', SECRET, Buffer.from(`user:${SECRET}`).toString('base64url')],
    ['without 0x', PRIVATE_KEY, PRIVATE_KEY.slice(2)],
    ['in decimal', PRIVATE_KEY, BigInt(PRIVATE_KEY).toString()],
    ['as the base64 of its bytes', PRIVATE_KEY, Buffer.from(PRIVATE_KEY.slice(2), 'hex').toString('base64')],
    ['without its prefix', WEBHOOK_SECRET, WEBHOOK_SECRET.slice('whsec_'.length)],
    ['as its bytes', WEBHOOK_SECRET, Buffer.from('thirty-two bytes of a secret 123').toString('hex')],
  ];
  it.each(inText)('%s', (_, secret, text) => {
    recordSecret('ADMIN_SECRET_KEY', secret);
    recordLog('a log', `first line\n"before${text}after"`);
    expect(leaks()).toMatch(/ADMIN_SECRET_KEY \(.+\) in a log, line 2/);
  });

  it('and is not repeated by the report', () => {
    recordSecret('ADMIN_SECRET_KEY', SECRET);
    recordLog('a log', SECRET);
    for (const form of formsOf(SECRET).keys()) expect(leaks().toLowerCase()).not.toContain(form);
  });

  it('in a reply, its headers included', () => {
    recordSecret('GLOBAL_SECRET_KEY', SECRET);
    recordServiceReply(request('GET', '/status'), { ...reply('{}'), headers: [['x-key', encodeURIComponent(SECRET)]] });
    expect(leaks()).toContain('GLOBAL_SECRET_KEY (URL-encoded) in the reply 200 to GET /status');
  });

  it('in the log of a stack, if only its files have the secret', async () => {
    const stack = join(directory, 'stack');
    mkdirSync(join(stack, 'worker'), { recursive: true });
    const versions = [{ secretString: JSON.stringify({ privateKey: PRIVATE_KEY }) }];
    writeFileSync(join(stack, 'secrets.json'), JSON.stringify([{ name: 'wallet', versions }]));
    writeFileSync(join(stack, 'worker/settings.env'), "RPC_URL_1='https://node.example/v3/abcdef0123456789'\n");
    writeFileSync(join(stack, 'worker.log'), `start\n${PRIVATE_KEY}\nabcdef0123456789`);
    await removeStackDirectory(stack);
    expect(leaks()).toContain('the key of a wallet (as it is) in stack/worker.log, line 2');
    expect(leaks()).toContain('RPC_URL_1 (as it is) in stack/worker.log, line 3');
  });

  it('if only a setting has it: passwords, keys in lists, encryption keys, keys in URLs', () => {
    recordSettings({
      DATABASE_URL: 'postgres://role:database-password@localhost/db',
      GLOBAL_SECRET_KEY: 'first-global-key,second-global-key',
      ENCRYPTION_KEYS: 'name.c2VjcmV0LWVuY3J5cHRpb24ta2V5',
      RPC_URL_1: 'https://rpc-user-key:x@node.example/?apikey=query%2Bkey',
    });
    recordLog('a log', 'database-password second-global-key c2VjcmV0LWVuY3J5cHRpb24ta2V5 rpc-user-key query+key');
    for (const name of ['DATABASE_URL', 'GLOBAL_SECRET_KEY', 'ENCRYPTION_KEYS', 'RPC_URL_1']) {
      expect(leaks()).toContain(name);
    }
  });

  it('if a caller sent it: the key of a wallet', () => {
    recordServiceReply(
      request('POST', '/minting/signature', { privateKey: PRIVATE_KEY }),
      reply(`{"a":"${PRIVATE_KEY}"}`),
    );
    expect(leaks()).toContain('a privateKey in a request (as it is) in the reply 200 to POST /minting/signature');
  });
});

describe('what a reply shows by design', () => {
  const id = '0'.repeat(24);
  it.each([
    ['POST', '/keys', 'key', ACCOUNT_KEY],
    ['POST', '/webhooks/endpoints', 'secret', WEBHOOK_SECRET],
    ['POST', `/webhooks/endpoints/${id}/rotate-secret`, 'secret', WEBHOOK_SECRET],
  ])('is no finding, but is anywhere else: %s %s', (method, path, field, secret) => {
    recordServiceReply(request(method, path), reply(JSON.stringify({ id, [field]: secret }), 201));
    expect(leaks()).toBe('none');
    recordServiceReply(request('GET', path), reply(JSON.stringify({ id, [field]: secret })));
    expect(leaks()).toContain(`in the reply 200 to GET ${path}`);
  });

  it('is only in its field', () => {
    const body = { id, key: ACCOUNT_KEY, name: ACCOUNT_KEY };
    recordServiceReply(request('POST', '/keys'), reply(JSON.stringify(body), 201));
    expect(leaks()).toContain('in the reply 201 to POST /keys');
  });

  it('is the path of an error, which is the caller’s own, and nothing else in the error', () => {
    recordSecret('a key', ACCOUNT_KEY);
    const error = { statusCode: 404, message: 'Not found', path: `/contracts/${ACCOUNT_KEY}` };
    recordServiceReply(request('GET', '/contracts/x'), reply(JSON.stringify(error), 404));
    expect(leaks()).toBe('none');
    recordServiceReply(request('GET', '/contracts/x'), reply(JSON.stringify({ ...error, message: ACCOUNT_KEY }), 404));
    expect(leaks()).toContain('in the reply 404 to GET /contracts/x');
  });
});

it('a run with replies and without the log of a Worker does not pass', () => {
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  recordLog(OUTPUT_OF_RUN, 'Tests 1 passed');
  recordServiceReply(request('GET', '/health'), reply('{}'));
  expect(leaks()).toContain('no log of a Worker');
});

const error = (event: string, fields: object = {}) =>
  JSON.stringify({ time: '2026-11-28T00:00:00.000Z', level: 'error', event, ...fields });

describe('an error in the log of a Worker', () => {
  it('fails the run if no test expects it', () => {
    recordError(error('health.data_store_unavailable'));
    expect(() => checkRecord(directory)).toThrow('health.data_store_unavailable');
  });

  it('fails the run if it is an exception that the Worker did not catch', () => {
    recordError('uncaught exception; source = Uncaught (in promise); stack = TypeError: none');
    recordError('uncaught exception; source = Uncaught (in promise); stack = Error: Network connection lost.');
    recordError('uncaught exception; exception = workerd/jsg/value.h:1: failed: jsg.TypeError: none');
    expect(() => checkRecord(directory)).toThrow(/expects:\nuncaught exception; source.*none$/);
  });

  it("about what a file asks for fails its test unless the file expects it, and is not another file's", () => {
    startFile();
    ownErrorsWith('request-1', '7');
    recordError(error('lane.failed', { requestId: 'request-2' }));
    recordError(error('lane.failed', { requestId: 'request-1' }));
    expect(unexpectedErrors()).toEqual([error('lane.failed', { requestId: 'request-1' })]);
    expect(unexpectedErrors()).toEqual([]);
    expectErrors('lane.key_unavailable');
    expect(missingErrors()).toEqual(['lane.key_unavailable']);
    recordError(error('lane.key_unavailable', { requestId: 'request-1' }));
    expect(unexpectedErrors()).toEqual([]);
    expect(missingErrors()).toEqual([]);
  });

  it('that a test expects does not fail the run, also where it is about nobody', () => {
    startFile();
    expectErrors('health.data_store_unavailable');
    recordError(error('health.data_store_unavailable'));
    expect(unexpectedErrors()).toEqual([]);
    expect(() => checkRecord(directory)).not.toThrow();
  });
});
