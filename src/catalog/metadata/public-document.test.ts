import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectDatabase } from '../../platform/database/client.ts';
import type { Services } from '../../services.ts';
import { publicDocument, refreshDocuments } from './public-document.ts';
import type { LookSubject } from './public-document.ts';
import type { Token } from './metadata.store.ts';

// The database's answers stand here, so that time and the order of things are in the test's hand. With the real one all of
// this is in the flows.
let looks: number;
let orders: Token[];
let documents: (Token & { readonly name: string })[];
let isRegistered: boolean;
let subjects: LookSubject[];
let now: number;
let tokens = 0;
let token: Token;
/** Runs once, after the database has answered and before the reader has the answer. */
let meanwhile: (() => Promise<void>) | undefined;

const services = {
  settings: { METADATA_CACHE_SECONDS: 60, ALLOWED_CHAIN_IDS: ['43114'] },
  db: connectDatabase({ DATABASE_URL: 'postgres://user:pw@db.example/main' }),
  clock: { now: () => now },
} as unknown as Services;

function rowsOf(rows: readonly unknown[][]): object {
  const fields = (rows[0] ?? []).map((_, index) => ({ name: `c${index}`, dataTypeID: 25 }));
  return { fields, rows, command: 'SELECT', rowCount: rows.length, rowAsArray: true };
}

beforeEach(() => {
  looks = 0;
  orders = [];
  documents = [];
  isRegistered = true;
  subjects = [];
  now = 1_000_000;
  tokens += 1;
  token = { contractAddress: `0x${String(tokens).padStart(40, '0')}`, tokenId: '1' };
  meanwhile = undefined;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    looks += 1;
    const results = [
      rowsOf(orders.map(({ contractAddress, tokenId }) => [contractAddress, tokenId])),
      rowsOf(
        documents.map(({ contractAddress, tokenId, name }) => [
          contractAddress,
          tokenId,
          JSON.stringify({ name }),
          'standard',
        ]),
      ),
      rowsOf(isRegistered ? [[token.contractAddress]] : []),
    ];
    const run = meanwhile;
    meanwhile = undefined;
    await run?.();
    return Response.json({ results });
  });
});
afterEach(() => vi.restoreAllMocks());

const allowLook = (subject: LookSubject) => Promise.resolve(void subjects.push(subject));
const refuse = () => Promise.reject(new Error('too many'));
const read = async () => (await publicDocument(services, token, allowLook))?.body;

describe('publicDocument', () => {
  it('asks the database once for a token that has a document', async () => {
    documents = [{ ...token, name: 'A' }];
    expect([await read(), await read(), looks]).toEqual(['{"name":"A"}', '{"name":"A"}', 1]);
  });

  it('remembers for 50 ms that a token is unknown', async () => {
    expect(await read()).toBeUndefined();
    documents = [{ ...token, name: 'A' }];
    now += 49;
    expect([await read(), looks]).toEqual([undefined, 1]);
    now += 1;
    expect([await read(), looks]).toEqual(['{"name":"A"}', 2]);
  });

  it('remembers for a second that an address is no contract, for all of its tokens', async () => {
    isRegistered = false;
    expect(await read()).toBeUndefined();
    isRegistered = true;
    token = { ...token, tokenId: '2' };
    documents = [{ ...token, name: 'A' }];
    now += 999;
    expect([await read(), looks]).toEqual([undefined, 1]);
    now += 1;
    expect([await read(), looks]).toEqual(['{"name":"A"}', 2]);
  });

  it('asks before each look whether the caller may, for a contract that is known or for any other address', async () => {
    documents = [{ ...token, name: 'A' }];
    await read();
    await read();
    token = { ...token, tokenId: '2' };
    await read();
    await read();
    expect(subjects).toEqual(['contract', 'document']);
    await expect(publicDocument(services, { ...token, tokenId: '3' }, refuse)).rejects.toThrow('too many');
    expect(looks).toBe(2);
  });

  it('remembers nothing of a token for which an order is on its way', async () => {
    orders = [token];
    expect([await read(), await read(), looks]).toEqual([undefined, undefined, 2]);
    documents = [{ ...token, name: 'A' }];
    expect(await read()).toBe('{"name":"A"}');
  });

  it('reads again, and keeps nothing old, when the document changes while it reads', async () => {
    documents = [{ ...token, name: 'old' }];
    meanwhile = async () => {
      documents = [{ ...token, name: 'new' }];
      await refreshDocuments(services, [token]);
    };
    expect(await read()).toBe('{"name":"new"}');
    expect([await read(), looks]).toEqual(['{"name":"new"}', 3]);
  });
});

describe('refreshDocuments', () => {
  it('replaces what is cached', async () => {
    documents = [{ ...token, name: 'old' }];
    await read();
    documents = [{ ...token, name: 'new' }];
    expect(await read()).toBe('{"name":"old"}');
    await refreshDocuments(services, [token]);
    expect([await read(), looks]).toEqual(['{"name":"new"}', 2]);
  });

  it('shows a mint at once to who was told that the token is unknown', async () => {
    await read();
    documents = [{ ...token, name: 'A' }];
    await refreshDocuments(services, [token]);
    expect(await read()).toBe('{"name":"A"}');
  });

  it('asks the database once for all the tokens of a batch', async () => {
    const batch = Array.from({ length: 100 }, (_, index) => ({ ...token, tokenId: String(index), name: `N${index}` }));
    documents = batch;
    await refreshDocuments(services, batch);
    for (const { name, ...one } of batch) {
      expect((await publicDocument(services, one, allowLook))?.body).toBe(`{"name":"${name}"}`);
    }
    expect(looks).toBe(1);
  });
});
