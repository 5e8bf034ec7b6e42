import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlIssue, type UrlUse } from './url-issue.ts';

const uses: UrlUse[] = ['page', 'media', 'base'];
const usesOf = (text: string) => uses.filter((use) => urlIssue(text, use) === undefined);

describe('urlIssue', () => {
  it.each([
    'https://example.com',
    'http://example.com:8080/a/b.png',
    'HTTPS://EXAMPLE.COM/A',
    'https://예.kr/가.png',
    'https://xn--9i5b.kr/%EA%B0%80.png',
    'https://[2001:db8::1]/a',
    'https://example.com/می‌خواهم',
    'https://example.com/👩‍🚀.png',
    'https://example.com/a(b)[c]',
  ])('accepts %s for every use', (text) => expect(usesOf(text)).toEqual(uses));

  it.each(['ipfs://bafybeigdyrzt/1.png', 'ar://5oV0G6/1.png', 'ipfs://bafy/가.png'])(
    'accepts %s for media and base URIs, not for pages',
    (text) => expect(usesOf(text)).toEqual(['media', 'base']),
  );

  it.each(['https://example.com/a?b=c', 'https://example.com/a#b', 'https://example.com?', 'https://example.com/#'])(
    'rejects %s as a base URI',
    (text) => expect(usesOf(text)).toEqual(['page', 'media']),
  );

  it('accepts the token id placeholder of ERC-1155', () => {
    expect(urlIssue('https://example.com/{id}.json', 'media')).toBeUndefined();
  });

  it.each([
    '',
    'x',
    '/a.png',
    '//example.com/a.png',
    'example.com',
    'https:',
    'https://',
    'https:///example.com',
    'https:example.com',
    'https:\\\\example.com',
    'https://example.com\\a',
    'ftp://example.com',
    'javascript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>',
    'data:image/png;base64,AA==',
    'file:///etc/passwd',
    'file://host/a',
    'blob:https://example.com/1',
    'vbscript:x',
    'https://user@example.com',
    'https://user:secret@example.com/',
    'https://@example.com/',
    'ipfs://user@bafy/1',
    ' https://example.com',
    'https://example.com ',
    'https://exam ple.com/',
    'https://example.com/a b',
    'https://example.com/a\tb',
    'https://example.com/a\nb',
    'https://example.com/\u0000',
    'https://example.com/\u007f',
    'https://example.com/\u0085',
    'https://example.com/\u00a0',
    'https://example.com/\u202egnp.exe',
    'https://example.com/\u2066',
    'https://example.com/\ufeff',
    'https://example.com/\ud800',
    'https://example.com/\udc00a',
    'https://example.com/<a>',
    'https://example.com/%',
    'https://example.com/%zz',
    'https://%00/',
    'https://example.com:99999/',
    'https://[::1',
    `https://example.com/${'a'.repeat(2_030)}`,
    `https://example.com/${'가'.repeat(680)}`,
  ])('rejects %j for every use', (text) => expect(usesOf(text)).toEqual([]));

  it('accepts up to 2048 bytes', () => {
    const host = 'https://example.com/';
    expect(usesOf(host + 'a'.repeat(2_048 - host.length))).toEqual(uses);
    expect(usesOf(host + 'a'.repeat(2_049 - host.length))).toEqual([]);
  });

  it('accepts only URLs that a parser does not alter', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc
        .tuple(
          fc.constantFrom('https://a.test', 'ipfs://bafy', 'javascript://a', 'https://u@a.test', 'https:', ' http://a'),
          fc.string({ unit: fc.oneof(fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))) }),
        )
        .map((parts) => parts.join('/')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...uses), (value, use) => {
        fc.pre(urlIssue(value, use) === undefined);
        const url = new URL(value);
        expect(url.protocol).toMatch(/^(https?|ipfs|ar):$/);
        expect([url.username, url.password]).toEqual(['', '']);
        expect(url.host).not.toBe('');
        expect(use === 'base' ? url.search + url.hash : '').toBe('');
        expect(value.isWellFormed() && !value.includes('\0') && value.trim() === value).toBe(true);
      }),
      { numRuns: 1_000, maxSkipsPerRun: 1_000 },
    );
  });
});
