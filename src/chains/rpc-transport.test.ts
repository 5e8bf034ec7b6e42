import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPublicClient } from 'viem';
import { createRpcClient } from './rpc-client.ts';
import { isTooLong } from './rpc-error.ts';
import { batched, rpcTransport } from './rpc-transport.ts';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: unknown[];
}

const URL_WITH_KEY = 'https://rpc.test/v1/secret-key';
const CONTRACT = '0x0000000000000000000000000000000000000001';

/** Stubs nodes that answer as given. @returns the requests it received. */
function node(answer: (calls: readonly Call[], url: string) => BodyInit, status = 200) {
  const requests: { url: string; headers: Headers; calls: readonly Call[] }[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit & { body: string }) => {
    const body = JSON.parse(init.body) as Call | Call[];
    const calls = [body].flat();
    requests.push({ url, headers: new Headers(init.headers), calls });
    return new Response(answer(calls, url), { status });
  });
  return requests;
}

afterEach(() => vi.unstubAllGlobals());

const connect = (...urls: string[]) => {
  const options = { chainId: '1', batchSize: 1_000, timeoutMs: 5_000, providerMs: 5_000 };
  const rpc = createRpcClient(urls.length === 0 ? [URL_WITH_KEY] : urls, options);
  return createPublicClient({ transport: rpcTransport(rpc) });
};
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
    node((calls) => JSON.stringify(calls.map(ownNumber).filter(({ result }) => result !== '0x2')));
    const client = connect();
    const [first, second, third] = await Promise.allSettled([1, 2, 3].map((index) => balanceOf(client, index)));
    expect(first).toEqual({ status: 'fulfilled', value: '0x1' });
    expect(second?.status).toBe('rejected');
    expect(third).toEqual({ status: 'fulfilled', value: '0x3' });
  });

  it('ignores a response to no call, and takes the first of two to one call', async () => {
    node((calls) => {
      const [call] = calls.map(ownNumber);
      return JSON.stringify([{ ...call, id: 7 }, { ...call, id: null }, null, { ...call, result: '0x5' }, call]);
    });
    expect(await balanceOf(connect(), 1)).toBe('0x5');
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
    expect(requests.map(({ calls }) => calls.length)).toEqual([7, 3, 3, 1]);
  });

  it('is not split for a node that has had too many requests', async () => {
    const requests = node(() => '{"id":null,"error":{"code":-32005,"message":"limit exceeded"}}');
    const client = connect();
    const results = await Promise.allSettled([1, 2, 3].map((index) => balanceOf(client, index)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(requests).toHaveLength(1);
  });

  it('fails whole if it cannot be sent, and the next one is sent all the same', async () => {
    const ask = batched((calls) =>
      calls.length > 1 ? Promise.reject(new Error('broken')) : Promise.resolve([{ result: '0x1' }]),
    );
    const calls = [1, 2].map((index) => ask({ method: 'eth_getBalance', params: [index] }));
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
    expect(await ask({ method: 'eth_getBalance', params: [] })).toEqual({ result: '0x1' });
  });

  it('shares no request with calls of another client', async () => {
    const requests = node((calls) => JSON.stringify(calls.map(ownNumber)));
    await Promise.all([balanceOf(connect(), 1), balanceOf(connect(), 2)]);
    expect(requests).toHaveLength(2);
  });
});

/** Of two nodes, one does not know the second account. */
const asOf = (calls: readonly Call[], url: string) =>
  JSON.stringify(
    calls.map((call) =>
      url === 'https://pruned.test' && String(call.params[0]).endsWith('2')
        ? { id: call.id, error: { code: -32_603, message: 'internal error' } }
        : ownNumber(call),
    ),
  );

describe('a call that one node cannot answer', () => {
  it('is asked of the others, alone', async () => {
    const requests = node(asOf);
    const client = connect('https://pruned.test', 'https://full.test');
    expect(await Promise.all([1, 2, 3].map((index) => balanceOf(client, index)))).toEqual(['0x1', '0x2', '0x3']);
    const asked = requests.map(({ url, calls }) => [url, calls.length]);
    expect(asked).toEqual([
      ['https://pruned.test', 3],
      ['https://pruned.test', 1],
      ['https://full.test', 1],
    ]);
  });

  it('fails if there is no other node, or none can, and is asked of no other if it reverts', async () => {
    node(asOf);
    await expect(async () => await balanceOf(connect('https://pruned.test'), 2)).rejects.toThrow('internal error');
    const requests = node(([call]) => JSON.stringify({ id: call?.id, error: { code: 3, message: 'no' } }));
    await expect(async () => await balanceOf(connect('https://a.test', 'https://b.test'), 1)).rejects.toThrow('no');
    expect(requests).toHaveLength(1);
  });
});

describe('an error', () => {
  it('has what the node replied, whatever the HTTP status', async () => {
    node(
      (calls) => JSON.stringify(calls.map(({ id }) => ({ id, error: { code: 3, message: 'no', data: '0x1234' } }))),
      400,
    );
    const error: unknown = await balanceOf(connect(), 1).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reply: { error: { code: 3, data: '0x1234', message: 'no' } } });
  });

  it.each([
    ['an error without data', '[{"id":0,"error":{"code":-32000,"message":"header not found"}}]', 'header not found'],
    ['an HTML page', '<html>', 'JSON-RPC'],
    ['an empty body', '', 'JSON-RPC'],
    ['a response without a result', '[{"id":0}]', 'JSON-RPC'],
  ])('is thrown for %s', async (_, body, message) => {
    node(() => body);
    await expect(async () => await balanceOf(connect(), 1)).rejects.toThrow(message);
  });

  it('contains no part of the key in the URL', async () => {
    node(() => '[]');
    const error: unknown = await balanceOf(connect(), 1).catch((reason: unknown) => reason);
    expect(JSON.stringify(error) + String(error)).not.toContain('secret-key');
  });
});

/** An endless reply that counts the bytes read of it. */
function endless(read: { bytes: number }): BodyInit {
  const start = '{"jsonrpc":"2.0","id":0,"result":"0x';
  const chunk = new TextEncoder().encode(start.padEnd(64 * 1_024, '0'));
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
    expect(isTooLong(error)).toBe(true);
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

/** Stubs nodes that answer every call with the result of their URL. */
const replying = (results: Readonly<Record<string, unknown>>) =>
  node((calls, url) => JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: results[url] }))));

const ask = (client: ReturnType<typeof connect>, method: string) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any method of the list
  client.request({ method: method as 'eth_blockNumber' });

describe('a result that its method never has', () => {
  const block = { number: '0x1', timestamp: '0x1', gasLimit: '0x1', hash: `0x${'ab'.repeat(32)}` };
  const nonsense: readonly (readonly [string, unknown, unknown])[] = [
    ['eth_call', {}, '0x01'],
    ['eth_call', null, '0x'],
    ['eth_getCode', [], '0x6001'],
    ['eth_getCode', '0x1', '0x'],
    ['eth_blockNumber', 'none', '0x7'],
    ['eth_getBalance', 7, '0x7'],
    ['eth_estimateGas', '0x', '0x5208'],
    ['eth_getBlockByNumber', {}, block],
    ['eth_getBlockByNumber', null, block],
  ];

  it.each(nonsense)('of %s, such as %j, is none: another node is asked', async (method, wrong, right) => {
    replying({ 'https://one.test/': wrong, 'https://two.test/': right });
    expect(await ask(connect('https://one.test/', 'https://two.test/'), method)).toEqual(right);
  });

  it.each(nonsense)('of %s, such as %j, is a failure if there is no other', async (method, wrong) => {
    replying({ 'https://one.test/': wrong });
    await expect(ask(connect('https://one.test/'), method)).rejects.toThrow(/reply is invalid/);
  });
});
