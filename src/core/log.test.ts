import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from './log.ts';

afterEach(() => vi.restoreAllMocks());

function linesOf(write: () => void): Record<string, unknown>[] {
  const spy = vi.spyOn(console, 'info').mockImplementation(() => {});
  write();
  return spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
}

const key = `0x${'ab'.repeat(32)}`;

describe('createLog', () => {
  it('writes one JSON object per line, with the fields of its parents', () => {
    const [line] = linesOf(() =>
      createLog(String, { requestId: 'r1' }).with({ accountId: 'a1' }).info('event', { orderId: 'o1' }),
    );
    expect(line).toMatchObject({ level: 'info', event: 'event', requestId: 'r1', accountId: 'a1', orderId: 'o1' });
  });

  it('never writes a key or a secret, at any depth', () => {
    const [line] = linesOf(() =>
      createLog(String).info('event', {
        privateKey: key,
        nested: { webhookSecret: 'whsec_x', rawTransaction: '0x02' },
        error: new Error(`could not sign with ${key}`, { cause: new Error('postgres://user:hunter2@db/main') }),
        note: `the key is ${key}`,
      }),
    );
    const text = JSON.stringify(line);
    for (const secret of [key, 'whsec_x', 'hunter2', '0x02']) expect(text).not.toContain(secret);
  });

  it('writes how many secrets there are', () => {
    const [line] = linesOf(() => createLog(String).info('event', { encryptedSecrets: 3, secret: 'whsec_x' }));
    expect(line).toMatchObject({ encryptedSecrets: 3, secret: '[redacted]' });
  });

  it('writes no configured secret, at any depth and under any name', () => {
    const log = createLog((text) => text.replaceAll('querykey', '[redacted]'), { place: 'at querykey' });
    const [line] = linesOf(() =>
      log.with({ more: 'querykey' }).info('querykey', {
        txHash: 'querykey',
        list: [{ url: 'https://node.example/?k=querykey' }],
        error: new Error('querykey', { cause: new TypeError('querykey') }),
      }),
    );
    expect(JSON.stringify(line)).not.toContain('querykey');
    expect(line).toMatchObject({ txHash: '[redacted]', error: { cause: { message: '[redacted]' } } });
  });

  it('writes transaction hashes', () => {
    const [line] = linesOf(() => createLog(String).info('event', { txHash: key }));
    expect(line).toMatchObject({ txHash: key });
  });

  it('writes an error without the parameters of the failed query', () => {
    const error = Object.assign(new Error('Failed query: update t set s = $1 params: whsec_hunter2'), {
      query: 'update t set s = $1',
      params: ['whsec_hunter2'],
    });
    const [line] = linesOf(() => createLog(String).info('event', { error }));
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });
});
