import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { accessibilityIssues, launchBrowser } from './browser.ts';

const { baseUrl, adminSecret } = inject('info');
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe('a page', () => {
  it('is served with a policy that allows only its own scripts, and runs under it', async () => {
    const reply = await fetch(`${baseUrl}/console`);
    expect(reply.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
    );
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${baseUrl}/console`);
    await page.getByLabel('Admin key').fill(adminSecret);
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('has files that a browser keeps until they change', async () => {
    const reply = await fetch(`${baseUrl}/pages/console/main.js`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')]);
    const again = await fetch(reply.url, { headers: { 'if-none-match': reply.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  it('is reached only by its own path', async () => {
    for (const path of [
      '/index.html',
      '/console/index.html',
      '/console/main.js',
      '/site/html/docs/index.html',
      '/site/search.json',
      '/pages/site/index.html',
      '/pages/site/html/docs/index.html',
      '/pages/console/none.js',
      '/pages/console/index.html',
      '/pages/console/index%2ehtml',
      '/pages/verify/index.html',
      '/pages/console/..%2f..%2fmain.js',
    ]) {
      expect([path, (await fetch(baseUrl + path)).status]).toEqual([path, 404]);
    }
  });
});
