import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRpcClient } from './rpc-client.ts';
import type { RpcReply } from './rpc-exchange.ts';

const call = (method: string) => ({ method, params: [] });
const options = { chainId: '1', batchSize: 4, timeoutMs: 50 };

interface Sent {
  readonly id: number;
  readonly method: string;
}

/** Stubs the network; `answer` receives the calls of a request and its URL. */
function serve(answer: (calls: readonly Sent[], url: string, headers: Headers) => Response | Promise<Response>) {
  const requests: number[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    init.signal?.throwIfAborted();
    const body = JSON.parse(typeof init.body === 'string' ? init.body : '') as Sent | Sent[];
    const calls = Array.isArray(body) ? body : [body];
    requests.push(calls.length);
    const reply = Promise.resolve(answer(calls, url, new Headers(init.headers)));
    const late = new Promise<never>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
    return await Promise.race([reply, late]);
  });
  return requests;
}

const answers = (calls: readonly Sent[]) => calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }));
const respond = (calls: readonly Sent[]) => Response.json(calls.length === 1 ? answers(calls)[0] : answers(calls));

const busy = ({ id }: Sent) => ({ id, error: { code: 429, message: 'Too many requests' } });

const takesLong = ({ method }: { readonly method: string }) => method === 'slow';

const flooding = (calls: readonly Sent[]) =>
  Response.json(calls.map(({ id }) => ({ id, result: '0x'.padEnd(3 * 1_024 * 1_024, '0') })));

const tooLong = (start: string) => new Response(`${start}${'0'.repeat(200 * 1_024)}`);

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('calls that one node must answer', () => {
  it('are one request, also after a slow reply has made batches small, and what is missing is lost', async () => {
    let isSlow = true;
    const requests = serve(async (calls) => {
      if (isSlow && calls.length > 1) await new Promise((resolve) => setTimeout(resolve, 2 * options.timeoutMs));
      return Response.json(answers(calls).slice(calls.length > 1 ? 1 : 0));
    });
    const client = createRpcClient(['https://a'], options);
    const calls = ['a', 'b', 'c'].map(call);
    await client.request(calls);
    isSlow = false;
    requests.length = 0;
    const replies = await client.request([calls]);
    expect(replies.map((reply) => 'result' in reply)).toEqual([false, true, true]);
    expect(requests).toEqual([3]);
  });

  it('are asked of the next provider if one does not answer, and one by one of a provider that refuses batches', async () => {
    const requests = serve((calls, url) => {
      if (url.startsWith('https://a')) return new Response('unavailable', { status: 503 });
      if (calls.length === 1) return respond(calls);
      return Response.json({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_600, message: 'batches are not supported' },
      });
    });
    const replies = await createRpcClient(['https://a', 'https://b'], options).request([['a', 'b'].map(call)]);
    expect(replies).toEqual([{ result: 'a' }, { result: 'b' }]);
    expect(requests.slice(-2)).toEqual([1, 1]);
  });
});

it('of calls that a node must answer two by two, those are in one request, however it is cut', async () => {
  const requests: string[] = [];
  serve((calls) => {
    const { length } = calls;
    if (length > 7) return new Response('', { status: 413 });
    requests.push(calls.map(({ method }) => method).join(' '));
    return respond(calls);
  });
  const pairs = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [call(name), call('head')]);
  const client = createRpcClient(['https://a'], { ...options, batchSize: 12 });
  for (const replies of [await client.requestInParallel(pairs), ...(await client.requestOfEach(pairs))]) {
    expect(replies).toEqual(pairs.flat().map(({ method }) => ({ result: method })));
  }
  const cut = ['a head b head c head', 'd head e head f head'];
  expect(requests).toEqual([...cut, ...cut]);
});

it('nothing is asked of any provider once it is to end, and what is not answered is lost', async () => {
  let asked = 0;
  const end = new AbortController();
  serve((calls) => {
    asked += 1;
    end.abort();
    return respond(calls);
  });
  const client = createRpcClient(['https://a', 'https://b'], { ...options, batchSize: 1 });
  const replies = await client.request(['x', 'y'].map(call), end.signal);
  expect([asked, replies.at(-1)]).toEqual([1, { lost: expect.any(String) }]);
  const each = await client.requestOfEach([call('x')], end.signal);
  expect([asked, each.flat().every((reply) => 'lost' in reply)]).toEqual([1, true]);
});

describe('a JSON-RPC batch', () => {
  it('matches replies by id in any order, and loses only the missing ones', async () => {
    serve((calls) =>
      Response.json(
        answers(calls)
          .toReversed()
          .filter(({ result }) => result !== 'b'),
      ),
    );
    const replies = await createRpcClient(['https://a'], options).request(['a', 'b', 'c'].map(call));
    expect(replies.map((reply) => ('result' in reply ? reply.result : 'lost'))).toEqual(['a', 'lost', 'c']);
  });

  it('is asked once more for an answer that is missing, and for nothing else', async () => {
    const requests = serve((calls) => (calls.length === 1 ? respond(calls) : Response.json(answers(calls).slice(1))));
    const replies = await createRpcClient(['https://a'], options).request(['a', 'b', 'c'].map(call));
    expect(replies).toEqual([{ result: 'a' }, { result: 'b' }, { result: 'c' }]);
    expect(requests).toEqual([3, 1]);
  });

  it('is halved if the provider rejects it as too large, and stays so', async () => {
    const requests = serve((calls) =>
      calls.length > 2
        ? Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batch too large' } })
        : respond(calls),
    );
    const client = createRpcClient(['https://a'], options);
    const calls = ['a', 'b', 'c', 'd'].map(call);
    expect((await client.request(calls)).every((reply) => 'result' in reply)).toBe(true);
    await client.request(calls);
    expect(requests).toEqual([4, 2, 2, 2, 2]);
  });

  it('is sent call by call if one is slow, and only that one is lost', async () => {
    serve((calls) => (calls.some(takesLong) ? new Promise(() => {}) : respond(calls)));
    const replies = await createRpcClient(['https://a'], options).request(['a', 'slow', 'c'].map(call));
    expect(replies.map((reply) => 'result' in reply)).toEqual([true, false, true]);
  });

  it('loses slow calls alone, of each provider, however many they are and wherever', async () => {
    serve((calls) => (calls.some(takesLong) ? new Promise(() => {}) : respond(calls)));
    const client = createRpcClient(['https://a', 'https://b', 'https://c'], {
      ...options,
      batchSize: 50,
      timeoutMs: 3_000,
    });
    const calls = Array.from({ length: 50 }, (_, index) => call(index < 6 || index % 10 === 0 ? 'slow' : 'quick'));
    for (const replies of await client.requestOfEach(calls)) {
      expect(replies.map((reply) => 'lost' in reply)).toEqual(calls.map(takesLong));
    }
  });

  it('that has slow calls says nothing of how many calls a provider answers in time', async () => {
    const requests = serve((calls) => (calls.some(takesLong) ? new Promise(() => {}) : respond(calls)));
    const client = createRpcClient(['https://a'], options);
    await client.request(['a', 'slow', 'c', 'd'].map(call));
    requests.length = 0;
    await client.request(['a', 'b', 'c', 'd'].map(call));
    expect(requests).toEqual([4]);
  });

  it('becomes smaller if a provider answers one call after the other, and slowly', async () => {
    serve(async (calls) => {
      await new Promise((resolve) => setTimeout(resolve, 0.4 * options.timeoutMs * calls.length));
      return respond(calls);
    });
    const client = createRpcClient(['https://a'], { ...options, batchSize: 8 });
    const calls = Array.from({ length: 8 }, (_, index) => call(String(index)));
    const requests = [];
    for (let times = 0; times < 3; times += 1) requests.push(await client.request(calls));
    expect(requests.map((replies) => replies.some((reply) => 'result' in reply)).at(-1)).toBe(true);
  });

  it('is not split where one node must answer all of it: a slow one is asked once', async () => {
    const requests = serve((calls) => (calls.length > 1 ? new Promise(() => {}) : respond(calls)));
    const client = createRpcClient(['https://a', 'https://b'], options);
    const each = await client.requestOfEach([['a', 'b'].map(call)]);
    expect([requests, each.flat().every((reply) => 'lost' in reply)]).toEqual([[2, 2], true]);
  });

  it('waits for what one provider rejects slowly no longer than for two requests, and asks the next one first then', async () => {
    const asked: string[] = [];
    serve(async (calls, url) => {
      asked.push(url);
      if (url !== 'https://a') return respond(calls);
      await new Promise((resolve) => setTimeout(resolve, 0.6 * options.timeoutMs));
      return new Response('', { status: 413 });
    });
    const client = createRpcClient(['https://a', 'https://b', 'https://c'], { ...options, batchSize: 50 });
    const calls = Array.from({ length: 50 }, (_, index) => call(String(index)));
    const results = calls.map(({ method }) => ({ result: method }));
    expect(await client.request(calls)).toEqual(results);
    const first = asked.indexOf('https://b');
    expect([first, asked.length]).toEqual([expect.toSatisfy((count: number) => count < 10), first + 1]);
    expect(await client.request(calls)).toEqual(results);
    expect(asked.slice(first + 1)).toEqual(['https://b']);
  });

  it('goes to the next provider if one is down, and to that one first for a while', async () => {
    const asked: string[] = [];
    serve((calls, url) => {
      asked.push(url);
      return url === 'https://a' ? new Response('', { status: 503 }) : respond(calls);
    });
    const client = createRpcClient(['https://a', 'https://b'], options);
    expect(await client.request([call('x')])).toEqual([{ result: 'x' }]);
    await client.request([call('x')]);
    expect(asked).toEqual(['https://a', 'https://b', 'https://b']);
  });

  it('goes to the next provider while one is slow even for a single call, for longer after each failure in a row', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const asked: string[] = [];
    serve((calls, url) => {
      asked.push(url);
      return url === 'https://slow' ? new Promise(() => {}) : respond(calls);
    });
    const client = createRpcClient(['https://slow', 'https://b'], options);
    const askedAfter = async (seconds: number) => {
      vi.advanceTimersByTime(seconds * 1_000);
      asked.length = 0;
      expect(await client.request([call('a')])).toEqual([{ result: 'a' }]);
      return asked.join(' ');
    };
    expect(await askedAfter(0)).toBe('https://slow https://b');
    expect(await askedAfter(14)).toBe('https://b');
    expect(await askedAfter(2)).toBe('https://slow https://b');
    expect(await askedAfter(28)).toBe('https://b');
    expect(await askedAfter(3)).toBe('https://slow https://b');
    vi.useRealTimers();
  });

  it('that one provider has not answered at all goes to the next one; of that which one has answered in part, nothing does', async () => {
    const asked: string[] = [];
    serve((calls, url) => {
      asked.push(url);
      if (url === 'https://b') return respond(calls);
      return Response.json(calls.map((each) => (each.method === 'x' ? { id: each.id, result: 'of a' } : busy(each))));
    });
    const client = createRpcClient(['https://a', 'https://b'], options);
    expect(await client.request(['x', 'y'].map(call))).toEqual([{ result: 'of a' }, { lost: 'Too many requests' }]);
    expect(asked).toEqual(['https://a']);
    expect(await client.request(['y', 'z'].map(call))).toEqual([{ result: 'y' }, { result: 'z' }]);
  });
});

describe('a provider that refuses batches', () => {
  const error = { code: -32_600, message: 'batches are not supported' };

  it.each([
    ['with an error in place of the replies', () => Response.json({ jsonrpc: '2.0', id: null, error })],
    ['with a list of one error', () => Response.json([{ jsonrpc: '2.0', id: null, error }])],
    ['with a status and an error', () => Response.json({ error }, { status: 400 })],
    ['with a status', () => new Response('no', { status: 405 })],
  ])('%s, is asked call by call, and from the start the next time', async (_, refuse) => {
    const requests = serve((calls) => (calls.length > 1 ? refuse() : respond(calls)));
    const client = createRpcClient(['https://a'], options);
    const calls = ['a', 'b', 'c', 'd'].map(call);
    const replies = calls.map(({ method }) => ({ result: method }));
    expect(await client.request(calls)).toEqual(replies);
    expect(requests).toEqual([4, 2, 1, 1, 1, 1]);
    expect(await client.request(calls)).toEqual(replies);
    expect(requests.slice(6)).toEqual([1, 1, 1, 1]);
  });

  it('and single calls too, as with a wrong key, is down, and gets batches again once it works', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let isRefusing = true;
    const requests = serve((calls) => (isRefusing ? new Response('no', { status: 401 }) : respond(calls)));
    const client = createRpcClient(['https://a'], options);
    const calls = ['a', 'b', 'c', 'd'].map(call);
    expect(await client.request(calls)).toEqual(calls.map(() => ({ lost: 'the provider responds with status 401' })));
    expect(requests).toEqual([4, 2, 1]);
    isRefusing = false;
    await client.request(calls);
    expect(requests).toEqual([4, 2, 1, 4]);
    vi.useRealTimers();
  });

  it('because it has had too many requests, is not asked in smaller ones', async () => {
    const requests = serve(() => new Response('slow down', { status: 429 }));
    await createRpcClient(['https://a'], options).request(['a', 'b', 'c'].map(call));
    expect(requests).toEqual([3]);
  });
});

describe('the ids of a batch', () => {
  it('may be strings, repeated, foreign and in any order: the first reply to a call counts', async () => {
    serve(() =>
      Response.json([
        { id: '2', result: 'c' },
        { id: 0, result: 'a' },
        { id: '0', result: 'a again' },
        { id: 2, result: 'c again' },
        { id: 7, result: 'foreign' },
        { id: '1x', result: 'no id' },
        { id: null, result: 'no id' },
        null,
        { id: 1, result: null },
      ]),
    );
    const replies = await createRpcClient(['https://a'], options).request(['a', 'b', 'c'].map(call));
    expect(replies).toEqual([{ result: 'a' }, { result: null }, { result: 'c' }]);
  });
});

describe('every provider by itself', () => {
  it('is asked again once one replies after an outage of all: that one is not the only one in order', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let isOut = true;
    serve((calls) => (isOut ? new Response('', { status: 503 }) : respond(calls)));
    const client = createRpcClient(['https://a', 'https://b', 'https://c'], options);
    for (const seconds of [16, 1]) {
      await client.request([call('x')]);
      vi.advanceTimersByTime(seconds * 1_000);
    }
    isOut = false;
    await client.request([call('x')]);
    expect((await client.requestOfEach([call('x')])).length).toBe(3);
    vi.useRealTimers();
  });

  it('is asked in the order of the URLs: one that is down answers for none', async () => {
    serve((calls, url) => {
      if (url === 'https://down') return new Response('', { status: 503 });
      if (url === 'https://small' && calls.length > 1) return new Response('', { status: 413 });
      return Response.json(calls.length === 1 ? { id: 0, result: url } : calls.map(({ id }) => ({ id, result: url })));
    });
    const client = createRpcClient(['https://small', 'https://down', 'https://a'], options);
    const replies = await client.requestOfEach([call('x'), call('y')]);
    expect(client.providers).toBe(3);
    expect(replies.map((each) => each.map((reply) => ('result' in reply ? reply.result : 'lost')))).toEqual([
      ['https://small', 'https://small'],
      ['lost', 'lost'],
      ['https://a', 'https://a'],
    ]);
  });

  it('is asked in batches of the size that it has taught, by whichever request', async () => {
    const requests = serve((calls) => (calls.length > 2 ? new Response('', { status: 413 }) : respond(calls)));
    const client = createRpcClient(['https://a'], options);
    const calls = ['a', 'b', 'c', 'd'].map(call);
    await client.requestOfEach(calls);
    expect(requests).toEqual([4, 2, 2]);
    await client.requestOfEach(calls);
    await client.request(calls);
    expect(requests).toEqual([4, 2, 2, 2, 2, 2, 2]);
  });
});

describe('credentials in a URL', () => {
  it.each([
    ['user:p%40ss', btoa('user:p@ss')],
    [':pass', btoa(':pass')],
    ['user:%E2%82%AC', 'dXNlcjrigqw='],
    ['user:100%', btoa('user:100%')],
  ])('are sent in a header: %s', async (credentials, header) => {
    const seen: unknown[] = [];
    serve((calls, url, headers) => {
      seen.push([url, headers.get('authorization')]);
      return respond(calls);
    });
    await createRpcClient([`https://${credentials}@a/rpc`], options).request([call('x')]);
    expect(seen).toEqual([['https://a/rpc', `Basic ${header}`]]);
  });

  it('are in no reply, whatever the provider repeats', async () => {
    const header = btoa('user:passw0rd');
    for (const status of [200, 401]) {
      serve((calls, url, headers) => {
        const message = `no ${headers.get('authorization')} at https://user:passw0rd@${new URL(url).host}`;
        return Response.json({ id: calls[0]?.id, error: { code: -32_000, message } }, { status });
      });
      const text = JSON.stringify(await createRpcClient(['https://user:passw0rd@a'], options).request([call('x')]));
      expect(text).toContain('[redacted]');
      expect(text).not.toMatch(new RegExp(`passw0rd|${header}`));
    }
  });
});

describe('a reply', () => {
  it('that is not JSON, not an object or over the limit is lost', async () => {
    const client = createRpcClient(['https://a'], options);
    for (const body of ['<html>', '5', 'null', '{}', `"${'x'.repeat(17 * 1024 * 1024)}"`]) {
      serve(() => new Response(body));
      expect(await client.request([call('x')])).toEqual([{ lost: expect.any(String) }]);
    }
  });

  it.each(['eth_call', 'eth_estimateGas'])(
    'to %s that is over the limit is a revert, and splits its batch',
    async (method) => {
      const requests = serve((calls) =>
        calls.some(({ method: name }) => name === method)
          ? tooLong(
              calls.length === 1
                ? '{"jsonrpc":"2.0","id":0,"result":"0x'
                : `[{"id":0,"result":"0x${'0'.repeat(800_000)}`,
            )
          : respond(calls),
      );
      const replies = await createRpcClient(['https://a'], options).request(['a', method, 'c', 'd'].map(call));
      const reverted = {
        error: { code: 3, message: expect.stringMatching(/^execution reverted: .* too long$/), data: undefined },
      };
      expect(replies).toEqual([{ result: 'a' }, reverted, { result: 'c' }, { result: 'd' }]);
      expect(requests).toEqual([4, 2, 1, 1, 2]);
    },
  );

  it('has hex in lower case at any depth, and other text as it is', async () => {
    const result = ['0xAB', '0Xcd', { hash: '0XEF', input: '0x', text: 'a 0xAB', more: '0xAG', n: 1, none: null }];
    const error = { code: 3, message: 'said "0xAB', data: { data: '0xAB' } };
    serve(() =>
      Response.json([
        { id: 0, result },
        { id: 1, error },
      ]),
    );
    const replies = await createRpcClient(['https://a'], options).request(['a', 'b'].map(call));
    const inner = { hash: '0xef', input: '0x', text: 'a 0xAB', more: '0xAG', n: 1, none: null };
    expect(replies).toEqual([{ result: ['0xab', '0xcd', inner] }, { error: { ...error, data: '0xab' } }]);
    serve(() => new Response(String.raw`{"id":0,"result":"0x\u0041\u0042"}`));
    expect(await createRpcClient(['https://a'], options).request([call('x')])).toEqual([{ result: '0xab' }]);
  });

  it.each([
    ['lists in the result', (depth: number) => `"result":${'['.repeat(depth)}"0xAB"${']'.repeat(depth)}`],
    [
      'the data of an error',
      (depth: number) => `"error":{"message":"x","data":${'{"data":'.repeat(depth)}1${'}'.repeat(depth)}}`,
    ],
  ])('with deeply nested %s is lost', async (_, nested) => {
    serve(() => new Response(`{"id":0,${nested(50)}}`));
    expect(await createRpcClient(['https://a'], options).request([call('x')])).not.toEqual([
      { lost: expect.any(String) },
    ]);
    serve(() => new Response(`{"id":0,${nested(20_000)}}`));
    expect(await createRpcClient(['https://a'], options).request([call('x')])).toEqual([{ lost: expect.any(String) }]);
  });

  it('of few bytes and very many values is not parsed', async () => {
    serve(() => new Response(`{"jsonrpc":"2.0","id":0,"result":[${'[],'.repeat(300_000)}0]}`));
    const client = createRpcClient(['https://a'], options);
    expect(await client.request([call('eth_getBlockByNumber')])).toEqual([{ lost: 'the reply is too long' }]);
    const [logs] = await client.request([call('eth_getLogs')]);
    expect(logs).toMatchObject({ error: { message: 'the reply is too long' } });
  });

  it.each([
    ['of a proxy', 'eth_call', '<html>'],
    ['whose length no contract determines', 'eth_sendRawTransaction', '{"jsonrpc":"2.0","id":0,"result":"0x'],
  ])('that is over the limit, %s, is lost, and the next provider is asked', async (_, method, start) => {
    const bad = () => tooLong(start);
    serve((calls, url) => (url === 'https://a' ? bad() : respond(calls)));
    const client = createRpcClient(['https://a', 'https://b'], options);
    expect(await client.request([call(method)])).toEqual([{ result: method }]);
    serve(bad);
    expect(await client.request([call(method)])).toEqual([{ lost: 'the reply is too long' }]);
  });

  it('of one provider leaves no room for another of the same request, and nothing is then asked of it for a while', async () => {
    const asked: string[] = [];
    serve((calls, url) => {
      asked.push(url);
      return url === 'https://a' ? flooding(calls) : respond(calls);
    });
    const client = createRpcClient(['https://a', 'https://b'], { ...options, batchSize: 2 });
    const method = 'eth_getTransactionReceipt';
    const replies = await client.request(Array.from({ length: 16 }, () => call(method)));
    const isFlood = (reply: RpcReply) => 'result' in reply && reply.result !== method;
    // 5 batches of 6 MB each.
    expect(replies.map(isFlood)).toEqual(Array.from({ length: 16 }, (_, index) => index < 10));
    expect(replies.every((reply) => 'result' in reply)).toBe(true);
    expect(asked.join(' ').replaceAll('https://', '')).toBe('a a a a a a b b b');
    const [first = []] = await client.requestOfEach(Array.from({ length: 16 }, () => call(method)));
    expect(first.filter(isFlood)).toHaveLength(10);
  });

  it.each([
    'query returned more than 10000 results',
    'block range limit exceeded',
    'query timeout exceeded. Consider reducing your block range',
  ])('that refuses to search so many logs is an error of the call, under whatever code: %s', async (message) => {
    serve(([sent]) => Response.json({ id: sent?.id, error: { code: -32_005, message } }));
    const [reply] = await createRpcClient(['https://a'], options).request([call('eth_getLogs')]);
    expect(reply).toEqual({ error: { code: -32_005, message, data: undefined } });
  });

  it('that reports an overloaded provider is lost, not an error of the call', async () => {
    serve(([sent]) =>
      Response.json({ jsonrpc: '2.0', id: sent?.id, error: { code: 429, message: 'Too many requests' } }),
    );
    expect(await createRpcClient(['https://a'], options).request([call('x')])).toEqual([{ lost: 'Too many requests' }]);
  });

  it('that is lost says why in text that can be stored', async () => {
    const error = { code: 429, message: `Too many\u0000requests ${'x'.repeat(5_000)}` };
    serve(([sent]) => Response.json({ jsonrpc: '2.0', id: sent?.id, error }));
    const [reply] = await createRpcClient(['https://a'], options).request([call('x')]);
    expect(reply).toEqual({ lost: expect.stringMatching(/^Too many requests x{1,500}$/) });
  });

  it('with which a contract reverts is an error of the call, whatever the contract says', async () => {
    const data = '0x08c379a0';
    const message = 'execution reverted: mint limit exceeded, capacity 0, rate limit';
    for (const error of [
      { code: 3, message, data },
      { code: -32_000, message, data },
      { code: 3, message },
    ]) {
      serve(([sent]) => Response.json({ jsonrpc: '2.0', id: sent?.id, error }));
      const [reply] = await createRpcClient(['https://a'], options).request([call('eth_estimateGas')]);
      expect(reply).toEqual({ error: { data: undefined, ...error } });
    }
  });

  it('of a failed connection does not repeat the URL, which may contain a key', async () => {
    serve((_, url) => {
      throw new Error(`connect ${url}`);
    });
    const [reply] = await createRpcClient(['https://a/key'], options).request([call('x')]);
    expect(JSON.stringify(reply)).not.toContain('key');
  });

  it.each(['header not found', 'rate limit'])('has no part of a key, wherever it is cut: %s', async (reason) => {
    const key = '4f9d2c7b8a1e6035';
    for (const end of [500, 1_000]) {
      for (let length = end - 60; length < end; length += 1) {
        const message = `${reason} ${'x'.repeat(length - reason.length)} https://a/v2/${key}`;
        serve(([sent]) => Response.json({ jsonrpc: '2.0', id: sent?.id, error: { code: -32_000, message } }));
        const [reply] = await createRpcClient([`https://a/v2/${key}`], options).request([call('x')]);
        expect(JSON.stringify(reply)).toContain('xxx');
        expect(JSON.stringify(reply)).not.toContain(key.slice(0, 4));
      }
    }
  });
});
