import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectApi } from '../../scripts/demo/api.ts';
import { accessibilityIssues, expectShown, launchBrowser } from './browser.ts';

const info = inject('info');
const api = connectApi(info);

let browser: Browser;
let directory: string;
beforeAll(async () => {
  browser = await launchBrowser();
  directory = await mkdtemp(join(tmpdir(), 'nft-gate-'));
});
afterAll(async () => {
  await browser.close();
  await rm(directory, { recursive: true, force: true });
});

it('the page of the recipe, opened from the disk with a key that sets statuses alone, opens once for a ticket', async () => {
  const [, html = ''] = /^```html gate\.html\n([\s\S]*?)^```$/m.exec(await readFile('docs/gate.md', 'utf8')) ?? [];
  await writeFile(join(directory, 'gate.html'), html);
  const reply = await fetch(`${info.baseUrl}/keys`, {
    method: 'POST',
    headers: {
      'x-admin-secret-key': info.adminSecret,
      'x-corporate-id': info.corporateId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Gate', scopes: ['status'] }),
  });
  const { key } = (await reply.json()) as { key: string };
  const ticket = await api.post('/metadata', {
    chainId: '43114',
    name: 'Seat 12',
    imageUrl: 'https://example.com/a.png',
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  });

  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(directory, 'gate.html')).href);
  await page.getByLabel('Service').fill(info.baseUrl);
  await page.getByLabel('Key').fill(key);
  expect(await accessibilityIssues(page)).toEqual([]);
  for (const says of ['OPEN Seat 12', 'STOP Used']) {
    await page.getByLabel('Ticket').fill(String(ticket['_id']));
    await page.getByRole('button', { name: 'Use' }).click();
    await expectShown(page.getByText(says));
  }
  await page.close();
});
