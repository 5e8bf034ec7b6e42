import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPublicClient } from 'viem';
import { ResponseTooLargeError, jsonRpc } from './json-rpc.ts';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: unknown[];
}

const URL_WITH_KEY = 'https://rpc.test/v1/secret-key';
const CONTRACT = '0x0000000000000000000000000000000000000001';

/** Stubs a node that answers batches as given. @returns the requests it received. */
function node(answer: (calls: readonly Call[]) => BodyInit, status = 200) {
  const requests: { url: string; headers: Headers; calls: readonly Call[] }[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit & { body: string }) => {
    const calls = JSON.parse(init.body) as Call[];
    requests.push({ url, headers: new Headers(init.headers), calls });
    return new Response(answer(calls), { status });
  });
  return requests;
}

afterEach(() => vi.unstubAllGlobals());

const connect = (url = URL_WITH_KEY) => createPublicClient({ transport: jsonRpc(url, 5_000) });
const balanceOf = (client: ReturnType<typeof connect>, index: number) =>
  client.request({ method: 'eth_getBalance', params: [`0x${String(index).padStart(40, '0')}`, 'latest'] });
/** Answers with the account's own number, so that mixed-up responses are visible. */
const ownNumber = ({ id, params }: Call) => ({
  jsonrpc: '2.0',
  id,
  result: `0x${Number(String(params[0]).slice(-4))}`,
});

describe('a batch of calls', () => {
  it('is one request, and each response goes to the call with its id, in any order', async () => {
    const requests = node((calls) => JSON.stringify(calls.map(ownNumber).toReversed()));
    const client = connect();
    const balances = await Promise.all([1, 2, 3].map((index) => balanceOf(client, index)));
    expect(balances).toEqual(['0x1', '0x2', '0x3']);
    expect(requests).toHaveLength(1);
  });

  it('never gives a call the response to another: a call without a response fails alone', async () => {
    node((calls) => JSON.stringify(calls.map(ownNumber).toSpliced(1, 1)));
    const client = connect();
    const [first, second, third] = await Promise.allSettled([1, 2, 3].map((index) => balanceOf(client, index)));
    expect(first).toEqual({ status: 'fulfilled', value: '0x1' });
    expect(second?.status).toBe('rejected');
    expect(third).toEqual({ status: 'fulfilled', value: '0x3' });
  });

  it('ignores a response to no call, takes the first of two to one call, and accepts null as a result', async () => {
    node((calls) => {
      const [call] = calls.map(ownNumber);
      return JSON.stringify([{ ...call, id: 7 }, { ...call, id: null }, null, { ...call, result: null }, call]);
    });
    expect(await balanceOf(connect(), 1)).toBeNull();
  });

  it('is split until it is as small as the node accepts', async () => {
    const requests = node((calls) =>
      calls.length > 3
        ? '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}'
        : JSON.stringify(calls.map(ownNumber)),
    );
    const client = connect();
    const balances = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((index) => balanceOf(client, index)));
    expect(balances).toEqual(['0x1', '0x2', '0x3', '0x4', '0x5', '0x6', '0x7']);
    expect(requests.map(({ calls }) => calls.length)).toEqual([7, 4, 2, 2, 3]);
  });

  it('is not split for a node that has had too many requests', async () => {
    const requests = node(() => '{"id":null,"error":{"code":-32005,"message":"limit exceeded"}}');
    const client = connect();
    const results = await Promise.allSettled([1, 2, 3].map((index) => balanceOf(client, index)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(requests).toHaveLength(1);
  });

  it('shares no request with calls of another client', async () => {
    const requests = node((calls) => JSON.stringify(calls.map(ownNumber)));
    await Promise.all([balanceOf(connect(), 1), balanceOf(connect(), 2)]);
    expect(requests).toHaveLength(2);
  });
});

describe('an error response', () => {
  it('rejects with its code and its data, whatever the HTTP status', async () => {
    node(
      (calls) => JSON.stringify(calls.map(({ id }) => ({ id, error: { code: 3, message: 'no', data: '0x1234' } }))),
      400,
    );
    const error: unknown = await balanceOf(connect(), 1).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 3, data: '0x1234', details: 'no' });
  });

  it.each([
    ['an error without data', '[{"id":0,"error":{"code":-32000,"message":"header not found"}}]', 'header not found'],
    ['an error for the whole batch', '{"id":null,"error":{"code":-32600,"message":"no"}}', 'not a batch'],
    ['an HTML page', '<html>', 'not JSON'],
    ['an empty body', '', 'not JSON'],
    ['a response without a result', '[{"id":0}]', 'did not answer'],
  ])('fails for %s', async (_, body, message) => {
    node(() => body);
    await expect(async () => await balanceOf(connect(), 1)).rejects.toThrow(message);
  });

  it('names the node’s host and not its key', async () => {
    node(() => '[]');
    const error: unknown = await balanceOf(connect(), 1).catch((reason: unknown) => reason);
    expect(String(error)).toContain('rpc.test');
    expect(JSON.stringify(error) + String(error)).not.toContain('secret-key');
  });

  it('has no part of the key, wherever the message that quotes it is cut', async () => {
    const key = '4f9d2c7b8a1e6035';
    for (let length = 950; length < 1_010; length += 1) {
      const message = `${'x'.repeat(length)} https://rpc.test/v2/${key}`;
      node(() => JSON.stringify([{ id: 0, error: { code: -32_000, message } }]));
      const error: unknown = await balanceOf(connect(`https://rpc.test/v2/${key}`), 1).catch((reason) => reason);
      expect(String(error)).toContain('xxx');
      expect(String(error)).not.toContain(key.slice(0, 4));
    }
  });

  it.each([
    ['user:p%40ss', btoa('user:p@ss')],
    [':pass', btoa(':pass')],
    ['user:%E2%82%AC', 'dXNlcjrigqw='],
    ['user:100%', btoa('user:100%')],
  ])('comes from a request with the credentials of the URL in a header: %s', async (credentials, header) => {
    const requests = node((calls) => JSON.stringify(calls.map(ownNumber)));
    await balanceOf(connect(`https://${credentials}@rpc.test/`), 1);
    expect(requests[0]?.url).toBe('https://rpc.test/');
    expect(requests[0]?.headers.get('authorization')).toBe(`Basic ${header}`);
  });
});

/** An endless body that counts the bytes read of it. */
function endless(read: { bytes: number }): BodyInit {
  const chunk = new TextEncoder().encode(' '.repeat(64 * 1_024));
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        read.bytes += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}

describe('an endless response', () => {
  it('is read up to the limit and no further', async () => {
    const read = { bytes: 0 };
    node(() => endless(read));
    const question = connect().request({ method: 'eth_call', params: [{ to: CONTRACT }, 'latest'] });
    const error: unknown = await question.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ResponseTooLargeError);
    expect(read.bytes).toBeLessThan(512 * 1_024);
  });

  it('fails only the call it belongs to', async () => {
    node((calls) =>
      calls.some(({ params }) => String(params[0]).endsWith('4'))
        ? endless({ bytes: 0 })
        : JSON.stringify(calls.map(ownNumber)),
    );
    const client = connect();
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7].map((index) => balanceOf(client, index)));
    expect(results.map(({ status }) => status)).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((index) => (index === 4 ? 'rejected' : 'fulfilled')),
    );
  });
});
