import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { archivedCheckPage } from '../../cli/export/check-page.ts';
import { exportAccount } from '../../cli/export/export-account.ts';
import { startHttpServer, type HttpServer } from '../../stack/http-server.ts';
import { launchBrowser, openPage } from './browser.ts';
import { deployCertificates, issueCertificate, revokeCertificate, type Issued } from './certificates.ts';

const run = promisify(execFile);
const { baseUrl, corporateId, apiKey } = inject('info');
const settings = inject('settings');
const BUILT = new URL('../../dist/pages/verify/index.html', import.meta.url);

let browser: Browser;
let context: BrowserContext;
let page: Page;
let problems: string[];
let folder: string;
let server: HttpServer;
let picture: string;
let genuine: Issued;
let several: Issued;
let revoked: Issued;

async function exported(to: string): Promise<string> {
  const built = await readFile(BUILT, 'utf8');
  return await exportAccount({
    databaseUrl: inject('databaseUrl'),
    corporateId,
    directory: to,
    checkPage: (assetBases) => archivedCheckPage(built, settings, assetBases),
    objectStore: {
      AWS_REGION: settings['AWS_REGION'] ?? '',
      AWS_ACCESS_KEY_ID: settings['AWS_ACCESS_KEY_ID'] ?? '',
      AWS_SECRET_ACCESS_KEY: settings['AWS_SECRET_ACCESS_KEY'] ?? '',
      S3_ENDPOINT: settings['S3_ENDPOINT'],
      S3_BUCKET: settings['S3_BUCKET'] ?? '',
    },
    say: () => {},
  });
}

/** A web server that knows nothing but files, below a path. */
async function serve(directory: string): Promise<HttpServer> {
  return await startHttpServer('archive', async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://archive.test');
    const path = normalize(pathname).replace(/^\/somewhere/, '');
    const file = join(directory, path.endsWith('/') ? `${path}index.html` : path);
    try {
      const body = await readFile(file);
      response.writeHead(200, file.endsWith('.html') ? { 'content-type': 'text/html' } : {}).end(body);
    } catch (error) {
      const isFolder = (error as NodeJS.ErrnoException).code === 'EISDIR';
      response.writeHead(isFolder ? 301 : 404, isFolder ? { location: `${pathname}/` } : {}).end();
    }
  });
}

beforeAll(async () => {
  browser = await launchBrowser();
  const form = new FormData();
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  form.append('file', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/png' }), 'watch.png');
  const headers = { 'x-api-key': apiKey, 'x-corporate-id': corporateId };
  const upload = await fetch(`${baseUrl}/assets/upload`, { method: 'POST', headers, body: form });
  picture = ((await upload.json()) as { url: string }).url;
  const [single, units] = await Promise.all([
    deployCertificates('721', { burnAuth: 'issuer' }),
    deployCertificates('1155'),
  ]);
  [genuine, several, revoked] = await Promise.all([
    issueCertificate(single, '1', { metadata: { imageUrl: picture } }),
    issueCertificate(units, '18', { amount: 3 }),
    issueCertificate(single, '2'),
  ]);
  await revokeCertificate(revoked);
  folder = await mkdtemp(join(tmpdir(), 'nft-archive-'));
  await exported(folder);
  server = await serve(folder);
});
afterAll(async () => {
  await server.stop();
  await browser.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  ({ context, page, problems } = await openPage(browser));
  // The service and its files are gone.
  await context.route(`${baseUrl}/**`, (route) => route.abort());
  await context.route(`${new URL(picture).origin}/**`, (route) => route.abort());
});
afterEach(() => context.close());

async function verdictOf(path: string): Promise<string> {
  await page.goto(`${server.url}/somewhere${path}`);
  const verdict = page.getByRole('status');
  await verdict.getByRole('heading').filter({ hasNotText: 'Checking' }).waitFor();
  return await verdict.innerText();
}

it('an archive is enough to find certificates unaltered, under the paths of their links, with their pictures', async () => {
  expect(await verdictOf(genuine.path)).toMatch(/^Unaltered[^]*Only this wallet can have/);
  const shown = page.locator('.picture img');
  await expect
    .poll(() => shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
    .toBe(1);
  expect(await shown.getAttribute('src')).toContain(`${server.url}/somewhere/assets/`);
  expect(await verdictOf(several.path)).toMatch(/^Unaltered/);
  expect(problems.filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
});

it('an archive says why a certificate was revoked, which the chain says of it', async () => {
  expect(await verdictOf(revoked.path)).toMatch(/^Revoked[^]*Reported stolen/);
});

it('an archive leads from its form to the check', async () => {
  await page.goto(`${server.url}/somewhere/`);
  await page.getByRole('textbox', { name: 'Contract' }).fill(genuine.contractAddress);
  await page.getByRole('textbox', { name: 'Number' }).fill(genuine.tokenId);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('heading', { name: /^Unaltered/ }).waitFor();
  expect(new URL(page.url()).searchParams.get('contract')).toBe(genuine.contractAddress);
});

it('a document that was tampered with in an archive is found altered, by the check and by sha256sum', async () => {
  const { stdout } = await run('sha256sum', ['-c', 'SHA256SUMS', '--quiet'], { cwd: folder });
  expect(stdout).toBe('');
  const file = join(folder, 'metadata', genuine.contractAddress, genuine.tokenId);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('HD-2026-0007', 'HD-2026-0008'));
  try {
    expect(await verdictOf(genuine.path)).toMatch(/^Altered/);
    await expect(run('sha256sum', ['-c', 'SHA256SUMS', '--quiet'], { cwd: folder })).rejects.toThrow('did NOT match');
  } finally {
    await writeFile(file, text);
  }
});
