import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectApi } from '../../scripts/demo/api.ts';
import { accessibilityIssues, expectShown, launchBrowser } from './browser.ts';

const info = inject('info');
const api = connectApi(info);

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

it('the page of the recipe, opened from the disk with a key that sets statuses alone, opens once for a ticket', async () => {
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
  await page.goto(pathToFileURL('docs/programs/gate.html').href);
  await page.getByLabel('Service').fill(info.baseUrl);
  await page.getByLabel('Key').fill(key);
  expect(await accessibilityIssues(page)).toEqual([]);
  for (const says of [`OPEN ${String(ticket['_id'])}`, 'STOP Used']) {
    await page.getByLabel('Ticket').fill(String(ticket['_id']));
    await page.getByRole('button', { name: 'Use' }).click();
    await expectShown(page.getByText(says));
  }
  await page.close();
});
