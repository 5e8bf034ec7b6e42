import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Import } from '../../clients/typescript/src/index.ts';
import { clientOf, ended } from './service.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TARGET = { kind: 'metadata', chainId: '43114' } as const;
const importIn = (status: Import['status']) => ({ id: '1', status }) as Import;
const reply = (body: unknown) => () => Response.json(body, { status: 201 });

describe('an import', () => {
  it.each([
    ['text/csv', 'text/csv'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['', 'text/csv'],
  ])('is sent as it is: a file of the type "%s" as %s', async (type, sent) => {
    const { nft, received } = clientOf([reply(importIn('CHECKING'))]);
    const file = new Blob(['name\nA'], { type });
    await nft.createImport({ ...TARGET, file });
    const [{ url, headers, body }] = received as [(typeof received)[number]];
    expect([url.pathname, url.search, headers.get('content-type'), body]).toEqual([
      '/imports',
      '?kind=metadata&chainId=43114',
      sent,
      file,
    ]);
  });

  it('is not sent again if it may have been received', async () => {
    const { nft, received } = clientOf([() => new Response('', { status: 502 })]);
    expect(await ended(nft.createImport({ ...TARGET, file: new Blob(['a']) }))).toBeInstanceOf(Error);
    expect(received).toHaveLength(1);
  });

  it('is read until the service does no more for it', async () => {
    const { nft, received } = clientOf(
      [importIn('CHECKING'), importIn('CHECKED')].map((one) => () => Response.json(one)),
    );
    expect(await ended(nft.waitForImport(importIn('UPLOADING')))).toEqual(importIn('CHECKED'));
    expect(received).toHaveLength(2);
    expect(await nft.waitForImport(importIn('PAUSED'))).toEqual(importIn('PAUSED'));
  });

  it('has a result that is a text', async () => {
    const { nft } = clientOf([() => new Response('row,status\r\n')]);
    expect(await nft.getImportResult({ id: '1' })).toBe('row,status\r\n');
  });
});
