import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPublicClient, numberToHex, pad, type Hex } from 'viem';
import type { RpcClient } from '../../chains/rpc-client.ts';
import type { RpcCall, RpcReply } from '../../chains/rpc-exchange.ts';
import { rpcTransport } from '../../chains/rpc-transport.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { connectDatabase } from '../../platform/database/client.ts';
import type { Services } from '../../services.ts';
import { cacheLinkedDocuments, publicDocument, refreshDocuments, refreshRelinked } from './public-document.ts';
import type { LookupSubject } from './known-contracts.ts';
import type { Token } from './token-documents.store.ts';

// The database is stubbed, to control time and the order of events. The flows test the same with a real one.
let queries: number;
let orders: Token[];
let documents: (Token & { readonly name: string })[];
/** What the chain replies to a call: return data, a revert, or nothing. */
let onChain: Hex | 'reverted' | 'down';
let columns: {
  readonly ercStandard: '721' | '1155';
  readonly isCertificate: boolean;
  readonly isUsedUp: boolean;
  readonly burnedAtBlock: string | null;
};
/** The time of the newest block, in seconds. */
let headAt: number;
let isRegistered: boolean;
let subjects: LookupSubject[];
let now: number;
let tokens = 0;
let token: Token;
/** Runs once, after the database has answered and before the reader has the result. */
let duringRead: (() => Promise<void>) | undefined;

const rpc = {
  providers: 1,
  request: (calls: readonly RpcCall[]) => Promise.resolve(calls.map(answer)),
} as unknown as RpcClient;

const services = {
  settings: { METADATA_CACHE_SECONDS: 60, ALLOWED_CHAIN_IDS: ['43114'] },
  db: connectDatabase({ DATABASE_URL: 'postgres://user:pw@db.example/main' }),
  clock: { now: () => now },
  log: { warn: () => undefined },
  chains: new Map([['43114', { client: createPublicClient({ transport: rpcTransport(rpc) }) }]]),
} as unknown as Services;

function answer({ method }: RpcCall): RpcReply {
  if (onChain === 'down') return { lost: 'the node is down' };
  if (method === 'eth_getBlockByNumber') {
    const block = { number: '0x9', hash: `0x${'ab'.repeat(32)}`, gasLimit: '0x1', timestamp: numberToHex(headAt) };
    return { result: { ...block, transactions: [] } };
  }
  if (onChain === 'reverted') return { error: { code: 3, message: 'execution reverted', data: '0x' } };
  return { result: onChain };
}

/** Rows of linked documents, which were linked in second 900. */
function documentRowsOf(rows: typeof documents): object {
  const types = [25, 25, 3802, 16, 25, 1184, 25, 16, 20];
  return {
    ...rowsOf([]),
    fields: types.map((dataTypeID, index) => ({ name: `c${index}`, dataTypeID })),
    rows: rows.map(({ contractAddress, tokenId, name }) => [
      contractAddress,
      tokenId,
      JSON.stringify({ name }),
      columns.isCertificate ? 't' : 'f',
      '43114',
      new Date(900_500).toISOString(),
      columns.ercStandard,
      columns.isUsedUp ? 't' : 'f',
      columns.burnedAtBlock,
    ]),
    rowCount: rows.length,
  };
}

function rowsOf(rows: readonly unknown[][]): object {
  const fields = (rows[0] ?? []).map((_, index) => ({ name: `c${index}`, dataTypeID: 25 }));
  return { fields, rows, command: 'SELECT', rowCount: rows.length, rowAsArray: true };
}

/** Rows with the versions of documents, each in one column of JSON. */
function versionRowsOf(versions: readonly object[]): object {
  const rows = versions.map((version) => [JSON.stringify(version)]);
  return { ...rowsOf(rows), fields: [{ name: 'version', dataTypeID: 114 }] };
}

beforeEach(() => {
  queries = 0;
  orders = [];
  documents = [];
  onChain = pad('0x01');
  headAt = 900;
  columns = { ercStandard: '721', isCertificate: false, isUsedUp: false, burnedAtBlock: null };
  isRegistered = true;
  subjects = [];
  now = 1_000_000;
  tokens += 1;
  token = { contractAddress: lowerCase(`0x${String(tokens).padStart(40, '0')}`), tokenId: '1' };
  duringRead = undefined;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    queries += 1;
    const results = [
      rowsOf(orders.map(({ contractAddress, tokenId }) => [contractAddress, tokenId])),
      documentRowsOf(documents),
      rowsOf(isRegistered ? [[token.contractAddress]] : []),
    ];
    const run = duringRead;
    duringRead = undefined;
    await run?.();
    return Response.json({ results });
  });
});
afterEach(() => vi.restoreAllMocks());

const allowLookup = (subject: LookupSubject) => Promise.resolve(void subjects.push(subject));
const refuse = () => Promise.reject(new Error('too many'));
const bodyOf = (document: Awaited<ReturnType<typeof publicDocument>>) =>
  typeof document === 'string' ? document : document.body;
const read = async () => bodyOf(await publicDocument(services, token, allowLookup));

/** Answers the query for documents, and, if they can change, the one for changes after it with these ids. */
function answerVersions(
  versions: readonly (Token & { readonly id: string; readonly name: string })[],
  changed?: string[],
) {
  const rows = versions.map(({ id, contractAddress, tokenId, name }) => ({
    id,
    contractAddress,
    tokenId,
    document: { name },
    isCertificate: changed === undefined,
    updatedAt: new Date(now).toISOString(),
  }));
  const mocked = vi.mocked(globalThis.fetch);
  mocked.mockImplementationOnce(async () => Response.json(versionRowsOf(rows)));
  if (changed !== undefined) {
    mocked.mockImplementationOnce(async () => Response.json(rowsOf(changed.map((id) => [id]))));
  }
}

const setBurned = (block: number) => (columns = { ...columns, burnedAtBlock: String(block) });

const linked = () => ({ ...token, id: '1', isFirst: true });

describe('publicDocument', () => {
  it('queries the database once for a token with a document', async () => {
    documents = [{ ...token, name: 'A' }];
    expect([await read(), await read(), queries]).toEqual(['{"name":"A"}', '{"name":"A"}', 1]);
  });

  it('caches for 50 ms that a token is unknown', async () => {
    expect(await read()).toBe('unknown');
    documents = [{ ...token, name: 'A' }];
    now += 49;
    expect([await read(), queries]).toEqual(['unknown', 1]);
    now += 1;
    expect([await read(), queries]).toEqual(['{"name":"A"}', 2]);
  });

  it('caches for a second that an address is not a contract, for all of its tokens', async () => {
    isRegistered = false;
    expect(await read()).toBe('unknown');
    isRegistered = true;
    token = { ...token, tokenId: '2' };
    documents = [{ ...token, name: 'A' }];
    now += 999;
    expect([await read(), queries]).toEqual(['unknown', 1]);
    now += 1;
    expect([await read(), queries]).toEqual(['{"name":"A"}', 2]);
  });

  it('checks the caller’s limit before each query, separately for known contracts and other addresses', async () => {
    documents = [{ ...token, name: 'A' }];
    await read();
    await read();
    token = { ...token, tokenId: '2' };
    await read();
    await read();
    expect(subjects).toEqual(['contract', 'document']);
    await expect(publicDocument(services, { ...token, tokenId: '3' }, refuse)).rejects.toThrow('too many');
    expect(queries).toBe(2);
  });

  it('caches nothing about a token with an unfinished order', async () => {
    orders = [token];
    expect([await read(), await read(), queries]).toEqual(['unknown', 'unknown', 2]);
    documents = [{ ...token, name: 'A' }];
    expect(await read()).toBe('{"name":"A"}');
  });

  it('has an Age where it joins the read of an earlier request, counted from the beginning of that read', async () => {
    documents = [{ ...token, name: 'A' }];
    const readers = [publicDocument(services, token, allowLookup)];
    duringRead = () => {
      now += 2_000;
      readers.push(publicDocument(services, token, allowLookup));
      now += 1_500;
      return Promise.resolve();
    };
    await readers[0];
    const ages = (await Promise.all(readers)).map(
      (document) => typeof document === 'object' && document.headers['age'],
    );
    expect([ages, queries]).toEqual([[undefined, '4'], 1]);
  });

  it('reads again and caches nothing outdated when the document changes during the read', async () => {
    documents = [{ ...token, name: 'old' }];
    duringRead = async () => {
      documents = [{ ...token, name: 'new' }];
      await refreshDocuments(services, [token]);
    };
    expect(await read()).toBe('{"name":"new"}');
    expect([await read(), queries]).toEqual(['{"name":"new"}', 3]);
  });
});

describe('the document of a token of which nothing is left', () => {
  beforeEach(() => {
    documents = [{ ...token, name: 'A' }];
  });

  it('is gone once the contract says that an ERC-721 token has no holder', async () => {
    onChain = 'reverted';
    expect([await read(), await read(), queries]).toEqual(['gone', 'gone', 1]);
  });

  it('is gone, too, if the contract returns the zero address for it', async () => {
    onChain = pad('0x00');
    expect(await read()).toBe('gone');
  });

  it.each<[string, number, () => void]>([
    ['has a holder', 60, () => undefined],
    ['has a holder in a block that is not older than its last burn', 60, () => setBurned(9)],
    ['has a holder in a block before its last burn', 5, () => setBurned(10)],
    ['has none in a block before its last burn', 5, () => ((onChain = 'reverted'), setBurned(10))],
    ['has none in a block before its mint', 5, () => ((onChain = 'reverted'), (headAt = 899))],
    ['is unknown because no node answers', 5, () => (onChain = 'down')],
  ])('is served and cached as long as the reply is worth if the token %s: %i s', async (_, seconds, set) => {
    set();
    const document = await publicDocument(services, token, allowLookup);
    expect(document).toMatchObject({
      body: '{"name":"A"}',
      headers: { 'cache-control': `public, max-age=0, s-maxage=${seconds}` },
    });
  });

  it.each<[string, () => void]>([
    ['the token is a certificate', () => (columns = { ...columns, isCertificate: true })],
    ['the newest block is older than the mint', () => (headAt = 899)],
    ['the node knows no contract there', () => (onChain = '0x')],
  ])('is served where %s, whatever the contract says', async (_, set) => {
    onChain = 'reverted';
    set();
    expect(await read()).toBe('{"name":"A"}');
  });

  it.each<[Hex | 'reverted', boolean, string]>([
    [pad('0x00'), false, 'gone'],
    [pad('0x01'), true, '{"name":"A"}'],
    ['reverted', true, 'gone'],
    ['reverted', false, '{"name":"A"}'],
  ])('follows the supply of ERC-1155 units, and the orders where the contract counts none: %s, %s', async (...row) => {
    const [supply, isUsedUp, expected] = row;
    onChain = supply;
    columns = { ...columns, ercStandard: '1155', isUsedUp };
    expect(await read()).toBe(expected);
  });

  it('is gone although it was cached, once a burn has refreshed it, and is back after another mint', async () => {
    expect(await read()).toBe('{"name":"A"}');
    onChain = 'reverted';
    await refreshDocuments(services, [token]);
    expect(await read()).toBe('gone');
    onChain = pad('0x01');
    now += 50;
    expect(await read()).toBe('{"name":"A"}');
  });
});

describe('refreshDocuments', () => {
  it('replaces a cached document', async () => {
    documents = [{ ...token, name: 'old' }];
    await read();
    documents = [{ ...token, name: 'new' }];
    expect(await read()).toBe('{"name":"old"}');
    await refreshDocuments(services, [token]);
    expect([await read(), queries]).toEqual(['{"name":"new"}', 2]);
  });

  it('shows a mint immediately, even if the token was cached as unknown', async () => {
    await read();
    documents = [{ ...token, name: 'A' }];
    await refreshDocuments(services, [token]);
    expect(await read()).toBe('{"name":"A"}');
  });

  it('queries the database once for all tokens of a batch', async () => {
    const batch = Array.from({ length: 100 }, (_, index) => ({ ...token, tokenId: String(index), name: `N${index}` }));
    documents = batch;
    // The chain is not asked about certificates, which keeps the test short.
    columns = { ...columns, isCertificate: true };
    await refreshDocuments(services, batch);
    for (const { name, ...one } of batch) {
      expect(bodyOf(await publicDocument(services, one, allowLookup))).toBe(`{"name":"${name}"}`);
    }
    expect(queries).toBe(1);
  });
});

describe('cacheLinkedDocuments', () => {
  it('takes one cache operation a token, and two queries for all', async () => {
    const batch = Array.from({ length: 100 }, (_, index) => ({
      ...linked(),
      id: String(index),
      tokenId: String(index),
      name: `N${index}`,
    }));
    const operations = (['put', 'match', 'delete'] as const).map((name) => vi.spyOn(caches.default, name));
    answerVersions(batch, []);
    await cacheLinkedDocuments(services, batch);
    expect(operations.map(({ mock }) => mock.calls.length)).toEqual([100, 0, 0]);
    expect(vi.mocked(globalThis.fetch)).toHaveBeenCalledTimes(2);
    expect(bodyOf(await publicDocument(services, { ...token, tokenId: '99' }, refuse))).toBe('{"name":"N99"}');
  });

  it('shows a mint immediately, even if the token was cached as unknown', async () => {
    await read();
    answerVersions([{ ...linked(), name: 'A' }], []);
    await cacheLinkedDocuments(services, [linked()]);
    expect(await read()).toBe('{"name":"A"}');
  });

  it('does not leave an outdated document behind when it changes at the same time', async () => {
    documents = [{ ...token, name: 'new' }];
    answerVersions([{ ...linked(), name: 'old' }], ['1']);
    await cacheLinkedDocuments(services, [linked()]);
    expect(await read()).toBe('{"name":"new"}');
  });

  it('leaves a token that had a document, or gets two, to the refresh', async () => {
    await cacheLinkedDocuments(services, [{ ...linked(), isFirst: false }]);
    await cacheLinkedDocuments(services, [linked(), { ...linked(), id: '2' }]);
    expect(vi.mocked(globalThis.fetch)).not.toHaveBeenCalled();
  });

  it('does not ask whether certificates have changed', async () => {
    answerVersions([{ ...linked(), name: 'A' }]);
    await cacheLinkedDocuments(services, [linked()]);
    expect(vi.mocked(globalThis.fetch)).toHaveBeenCalledTimes(1);
    expect(await read()).toBe('{"name":"A"}');
  });
});

describe('refreshRelinked', () => {
  it('replaces what is cached for a token that had a document, or gets two', async () => {
    documents = [{ ...token, name: 'old' }];
    await read();
    documents = [{ ...token, name: 'last' }];
    await refreshRelinked(services, [{ ...linked(), isFirst: false }]);
    expect(await read()).toBe('{"name":"last"}');
    documents = [{ ...token, name: 'second' }];
    await refreshRelinked(services, [linked(), { ...linked(), id: '2' }]);
    expect(await read()).toBe('{"name":"second"}');
  });

  it('asks nothing about a token that had none', async () => {
    await refreshRelinked(services, [linked()]);
    expect(vi.mocked(globalThis.fetch)).not.toHaveBeenCalled();
  });
});
