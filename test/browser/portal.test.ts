import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Download, Page } from 'playwright-core';
import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { upsertAccount } from '../../cli/corporate/upsert-account.ts';
import { connectApi, type Api } from '../../scripts/demo/api.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { fireCron } from '../../stack/fire-cron.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import {
  accessibilityIssues,
  closePage,
  expectGone,
  expectShown,
  launchBrowser,
  openPage,
  screenshot,
  THEMES,
} from './browser.ts';

const { baseUrl, apiKey, adminSecret, rpcUrls } = inject('info');
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
/** More than two pages of the portal's list. */
const MINTS = 60;
const ALL_SCOPES = 'read metadata status mint transfer deploy ownership revoke webhooks keys'.split(' ');

let browser: Browser;
/** Of an account of its own: its lists have what is made here. */
let corporateId: string;
let api: Api;
let context: BrowserContext;
let page: Page;
/** What the browser reported as wrong: scripts that failed, and whatever the policy refused. */
let problems: string[];
/** A key of the account with every scope. */
let key: string;
let contractAddress: string;
let contractId: string;
let metadataId: string;
let failedMint: string;

beforeAll(async () => {
  browser = await launchBrowser();
  const account = await upsertAccount(
    { name: 'Portal' },
    {
      databaseUrl: inject('databaseUrl'),
      secrets: secretsSettingsSchema.parse(inject('settings')),
      environment: 'local',
    },
  );
  ({ corporateId } = account);
  await fundWallet(account.walletAddress as Address, Object.values(rpcUrls));
  api = connectApi({ baseUrl, apiKey, corporateId });
  key = await makeKey('Portal', ALL_SCOPES);
  // It refuses everything, so that the deliveries of the account fail at once.
  await api.post('/webhooks/endpoints', { url: `${baseUrl}/nowhere`, description: 'Refuses' });
  const accepted = await api.post('/contracts/deploy', {
    chainId: '43114',
    name: 'Portal',
    symbol: 'POR',
    ercStandard: '1155',
    contractType: 'standard',
  });
  contractId = String(accepted['_id']);
  contractAddress = String((await api.result(`/contracts/${contractId}`))['contractAddress']);
  metadataId = await createMetadata();
  const orders = Array.from({ length: MINTS }, () => mintInput());
  for (const order of orders) await api.post('/minting/order', order);
  // The contract itself does not accept tokens.
  const other = await createMetadata();
  failedMint = await orderMint({ tokenId: '2', metadataId: other, receiverAddress: contractAddress });
  await api.result(`/minting/${failedMint}`).catch(String);
}, 240_000);
afterAll(() => browser.close());
beforeEach(async () => {
  ({ context, page, problems } = await openPage(browser, {
    viewport: { width: 1_280, height: 900 },
    timezoneId: 'Asia/Seoul',
  }));
});
afterEach(() => closePage({ context, problems }));

const admin = (path: string, body?: object) =>
  fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'x-admin-secret-key': adminSecret,
      'x-corporate-id': corporateId,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });

async function makeKey(name: string, scopes: readonly string[]): Promise<string> {
  const reply = await admin('/keys', { name, scopes });
  expect(reply.status).toBe(201);
  return ((await reply.json()) as { key: string }).key;
}

async function createMetadata(): Promise<string> {
  const metadata = await api.post('/metadata', {
    chainId: '43114',
    name: 'A token',
    imageUrl: 'https://example.com/a.png',
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  });
  return String(metadata['_id']);
}

const mintInput = (more: object = {}) => ({
  chainId: '43114',
  contractAddress,
  receiverAddress: RECEIVER,
  tokenId: '1',
  amount: 1,
  metadataId,
  ...more,
});

async function orderMint(more: object = {}): Promise<string> {
  return String((await api.post('/minting/order', mintInput(more)))['id']);
}

/** What the API answers to the key. */
async function read<Reply>(path: string): Promise<Reply> {
  const reply = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': key } });
  return (await reply.json()) as Reply;
}

/** Sets the status of a document with the key. */
async function setStatus(id: string, status: string): Promise<void> {
  const reply = await fetch(`${baseUrl}/metadata/${id}/status`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ status }),
  });
  expect(reply.status).toBe(200);
}

async function signIn(hash = '#/', withKey = key): Promise<void> {
  await page.goto(`${baseUrl}/portal${hash}`);
  await page.getByLabel('Key of your account').fill(withKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
}

const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const orderIds = () => page.locator('td[data-head=Order] a').allTextContents();

describe('the portal', () => {
  it('opens with a key of the account, which stays in the tab, is in no URL and goes to the service alone', async () => {
    const urls: string[] = [];
    const withKey = new Set<string>();
    page.on('request', (request) => {
      urls.push(request.url());
      if (JSON.stringify(request.headers()).includes(key)) withKey.add(new URL(request.url()).origin);
    });
    await page.goto(`${baseUrl}/portal`);
    await page.getByLabel('Key of your account').fill('wrong');
    await button('Sign in').click();
    await expectShown(page.getByRole('alert').getByText('not valid'));
    await page.getByText('How do I get a key?').click();
    await expectShown(page.getByText(`curl -X POST ${baseUrl}/keys`));
    await signIn();
    await expectShown(page.getByRole('table'));
    await page.reload();
    await expectShown(page.getByRole('navigation'));
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
    const other = await context.newPage();
    await other.goto(`${baseUrl}/portal`);
    await expectShown(other.getByLabel('Key of your account'));
    await other.close();
    await button('Sign out').click();
    await expectShown(page.getByLabel('Key of your account'));
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect([...withKey]).toEqual([baseUrl]);
    expect([...urls, page.url()].filter((url) => url.includes(key))).toEqual([]);
  });

  it('asks only what the API document describes, and nothing of the operator', async () => {
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(`${request.method()} ${new URL(request.url()).pathname}`));
    await signIn();
    for (const view of await page.getByRole('navigation').getByRole('link').all()) {
      await view.click();
      await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
    }
    await page.goto(`${baseUrl}/portal#/orders/MintingOrder/${failedMint}`);
    await expectShown(heading('Failed'));
    const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(
        (method) => new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      ),
    );
    const calls = [...asked].filter((call) => !/ \/(?:portal$|pages\/)/.test(call));
    expect(calls.length).toBeGreaterThan(4);
    expect(calls.filter((call) => !described.some((pattern) => pattern.test(call)))).toEqual([]);
    expect(calls.filter((call) => call.includes('/admin') || call.includes('/status'))).toEqual([]);
  });

  it('is served with headers that allow its own scripts and requests alone', async () => {
    const { headers } = await fetch(`${baseUrl}/portal`);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';.*frame-ancestors 'none'$/,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has a page of few bytes', async () => {
    const html = await (await fetch(`${baseUrl}/portal`)).text();
    const files = Array.from(html.matchAll(/(?:src|href)="(\/pages\/[^"]+)"/g), ([, file = '']) => file);
    expect(files).toHaveLength(2);
    const texts = await Promise.all(files.map(async (file) => (await fetch(`${baseUrl}${file}`)).text()));
    expect(gzipSync([html, ...texts].join('\n')).length).toBeLessThan(32_000);
  });

  it('lists orders of all kinds, newest first, a page at a time, each once', async () => {
    const lists = await Promise.all(
      ['/minting', '/contracts', '/transfer', '/burn', '/certificates/revoke'].map((path) =>
        read<{ items: { id?: string; _id?: string }[] }>(`${path}?limit=100`),
      ),
    );
    const all = lists.flatMap(({ items }) => items.map(({ id, _id }) => id ?? _id ?? ''));
    expect(all.length).toBeGreaterThan(MINTS);
    await signIn();
    const shown: string[] = [];
    for (;;) {
      await expect.poll(async () => (await orderIds()).some((id) => !shown.includes(id))).toBe(true);
      shown.push(...(await orderIds()));
      if (await button('Older').isDisabled()) break;
      await button('Older').click();
    }
    expect(shown).toEqual(all.toSorted().toReversed());
    await button('Newer').click();
    await expect.poll(async () => shown.indexOf((await orderIds())[0] ?? '')).toBeLessThan(shown.length - 25);
  });

  it('filters by kind, state, contract, receiver and time, and the URL keeps the filter', async () => {
    await signIn();
    await page.getByRole('combobox', { name: 'State' }).selectOption('failed');
    await button('Show').click();
    await expect.poll(orderIds).toEqual([failedMint]);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('DeployedContract');
    await button('Show').click();
    await expectShown(page.getByText('No order.'));
    await page.reload();
    await expectShown(page.getByText('No order.'));
    await page.getByRole('link', { name: 'All orders' }).click();
    await page.getByRole('textbox', { name: 'Contract' }).fill(contractAddress);
    await page.getByLabel('Receiver of a mint').fill(contractAddress);
    await button('Show').click();
    await expect.poll(orderIds).toEqual([failedMint]);
    // The fields say their time zone; nothing is this old.
    await page.getByLabel('Accepted before (Asia/Seoul)').fill('2020-01-01T00:00');
    await button('Show').click();
    await expectShown(page.getByText('No order.'));
  });

  it('finds an order by its id, its transaction, its token and its receiver', async () => {
    const minted = (await read<{ items: { id: string; txHash: string }[] }>('/minting?status=CONFIRMED&limit=1'))
      .items[0]!;
    await signIn();
    for (const text of [minted.id, minted.txHash]) {
      await page.getByRole('searchbox').fill(text);
      await page.getByRole('searchbox').press('Enter');
      // One transaction may have minted for several orders.
      await expect
        .poll(
          async () =>
            (await heading(`Order ${minted.id}`).count()) + (await orderIds()).filter((id) => id === minted.id).length,
        )
        .toBe(1);
      await page.goto(`${baseUrl}/portal#/orders`);
    }
    await page.getByRole('searchbox').fill(`${contractAddress}/2`);
    await page.getByRole('searchbox').press('Enter');
    await expectShown(heading(`Order ${failedMint}`));
    await page.getByRole('searchbox').fill(contractAddress);
    await page.getByRole('searchbox').press('Enter');
    await expect.poll(orderIds).toEqual([failedMint]);
  });

  it('tells the story of an order: when it was accepted and ended, why it failed, and its webhooks', async () => {
    await signIn(`#/orders/MintingOrder/${failedMint}`);
    const story = page.getByRole('list').filter({ hasText: 'Webhook mint.failed' });
    await expectShown(story.getByRole('heading', { name: 'Accepted' }));
    await expectShown(page.getByText('the receiver is a contract that does not accept tokens').first());
    await expectShown(story.getByText('failed, status 404'));
    for (const text of await story.locator('time').allTextContents()) expect(text).toMatch(/GMT\+9$/);
    const time = await story.locator('time').first().boundingBox();
    const title = await story.getByRole('heading').first().boundingBox();
    expect((time?.x ?? 0) + (time?.width ?? 0)).toBeLessThan(title?.x ?? 0);
  });

  it('explains a held order, and cancels it: cancelled is not failed', async () => {
    await admin(`/admin/accounts/${corporateId}/pause`);
    const id = await orderMint();
    await signIn(`#/orders/MintingOrder/${id}`);
    await expectShown(page.getByText('The operator has paused the account or the chain.'));
    await button('Cancel order').click();
    await button('Yes, cancel order').click();
    await expectShown(heading('Cancelled'));
    await expectGone(button('Cancel order'));
    await admin(`/admin/accounts/${corporateId}/resume`);
    expect(await read(`/minting/${id}`)).toMatchObject({ status: 'CANCELLED' });
    await page.goto(`${baseUrl}/portal#/orders?state=failed`);
    await expect.poll(orderIds).toEqual([failedMint]);
  });

  it('names the scope that a key lacks, and shows what its scopes allow', async () => {
    await signIn('#/', await makeKey('Webhooks alone', ['webhooks']));
    await expectShown(page.getByText(/Not shown: .*the scope read\. The key of this tab lacks it/));
    await expectGone(page.getByText('No order.'));
    await page.goto(`${baseUrl}/portal#/orders/MintingOrder/${failedMint}`);
    await expectShown(button('Replay mint.failed'));
  });

  it('shows each delivery with its error, and replays one', async () => {
    await signIn('#/webhooks?state=FAILED');
    const row = page.getByRole('row').filter({ hasText: 'mint.c' }).first();
    await expectShown(row.getByText('1: failed, status 404'));
    await expectShown(row.getByText('Refuses'));
    const orderId = await row.locator('td[data-head=Order] a').textContent();
    await row.getByRole('link', { name: 'mint.c' }).click();
    await expectShown(page.getByText(`"id":"${orderId}"`));
    await button('Replay').click();
    await button('Yes, replay').click();
    await expectShown(heading(/^Webhook mint\.c\w+: attempt 2$/));
  });

  it('replays all failed deliveries of an endpoint', async () => {
    const { items } = await read<{ items: { id: string; description: string | null }[] }>('/webhooks/endpoints');
    const { id } = items.find(({ description }) => description === 'Refuses')!;
    const attemptsOf = async (status: string) => {
      const { items: deliveries } = await read<{ items: { id: string; attempts: object[] }[] }>(
        `/webhooks/deliveries?endpointId=${id}&status=${status}&limit=100`,
      );
      return new Map(deliveries.map((delivery) => [delivery.id, delivery.attempts.length]));
    };
    // Those of orders that earlier tests have made are still on their way.
    for (const status of ['PENDING', 'RETRYING']) await expect.poll(() => attemptsOf(status)).toEqual(new Map());
    const before = await attemptsOf('FAILED');
    expect(before.size).toBeGreaterThan(MINTS);
    await signIn('#/webhooks');
    const row = page.getByRole('row').filter({ hasText: '(Refuses)' });
    await row.getByRole('button', { name: 'Replay all failed' }).click();
    await button('Yes, replay all failed').click();
    await expectShown(page.getByText(`Sent again: ${before.size}.`));
    const after = new Map(Array.from(before, ([delivery, attempts]) => [delivery, attempts + 1]));
    await expect.poll(() => attemptsOf('FAILED')).toEqual(after);
  });

  it('shows contracts with their tokens, and edits the metadata of one: its status, its texts and its versions', async () => {
    await fireCron(baseUrl, Date.now(), undefined, 'index');
    await signIn('#/contracts');
    await page.getByRole('table').getByRole('link', { name: 'Portal' }).click();
    const holdings = page.getByRole('region', { name: 'Holdings' });
    await expectShown(holdings.locator(`a[href$="${RECEIVER.toLowerCase()}"]`).first());
    await page.getByRole('link', { name: '1', exact: true }).click();
    await expectShown(page.getByText('version 1'));
    await page.getByLabel('New status').fill('Used');
    await button('Set status').click();
    await expectShown(page.getByText('The status is Used.'));
    await expectShown(button('Save as version 3'));
    await page.getByLabel('Name').fill('Another name');
    await page.getByLabel('Description').fill('With a description');
    await button('Save as version 3').click();
    await expectShown(heading('Another name'));
    await page.getByText('Version 2, Used, until').click();
    await expectShown(page.getByRole('group').filter({ hasText: 'Version 2' }).getByText('"name": "A token"'));
    expect(await read(`/metadata/${metadataId}`)).toMatchObject({
      name: 'Another name',
      description: 'With a description',
      currentStatus: 'Used',
      version: 3,
    });
  });

  it("sets what is said of a contract's collection, with a preview, and announces it on chain", async () => {
    await context.route('https://example.com/*.svg', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    );
    await signIn(`#/contracts/${contractId}`);
    const preview = page.locator('.collection');
    await expectShown(preview.getByText('POR', { exact: true }));
    expect(await page.getByRole('link', { name: 'its public page' }).getAttribute('href')).toBe(
      `/collection/43114/${contractAddress}`,
    );
    await page.getByLabel('Name', { exact: true }).fill('Opening nights');
    await page.getByLabel('Description').fill('Tickets of the season.');
    await page.getByLabel('URL of the picture').fill('https://example.com/logo.svg');
    await page.getByLabel('URL of a page about it').fill('https://example.com/tickets');
    await page.getByLabel('Collaborators').fill(`${RECEIVER}\n`);
    await expectShown(preview.getByText('Opening nights'));
    await expectShown(preview.getByRole('link', { name: 'example.com' }));
    expect(await preview.locator('img').getAttribute('src')).toBe('https://example.com/logo.svg');
    await button('Save as version 1').click();
    await expectShown(button('Save as version 2'));
    const path = `/contracts/${contractId}/metadata`;
    expect(await read(path)).toMatchObject({
      version: 1,
      name: 'Opening nights',
      symbol: 'POR',
      description: 'Tickets of the season.',
      imageUrl: 'https://example.com/logo.svg',
      bannerImageUrl: null,
      externalUrl: 'https://example.com/tickets',
      collaborators: [RECEIVER],
    });
    await page.getByLabel('Symbol').fill('');
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'if-match': '"1"' };
    await fetch(baseUrl + path, { method: 'PUT', headers, body: '{"name":"Other"}' });
    await button('Save as version 2').click();
    await expectShown(page.getByRole('alert').getByText('has version 2, not 1'));
    await page.getByRole('button', { name: 'edit version 2' }).click({ timeout: 30_000 });
    await expectShown(button('Save as version 3'));
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Other');
    await button('Announce it on chain').click();
    await button('Yes, announce it on chain').click();
    await page.getByRole('link', { name: 'The order of the announcement' }).click();
    await expectShown(heading('Confirmed'));
  });

  it('does not overwrite what somebody else has changed since it was shown', async () => {
    const id = await createMetadata();
    await signIn(`#/metadata/${id}`);
    await page.getByLabel('New status').fill('Used');
    await page.getByLabel('Description').fill('Mine');
    await setStatus(id, 'Void');
    await button('Set status').click();
    await expectShown(page.getByRole('alert').getByText('Void'));
    await button('Save as version 2').click();
    await expectShown(page.getByRole('alert').getByText('version'));
    expect(await read(`/metadata/${id}`)).toMatchObject({ currentStatus: 'Void', description: null, version: 2 });
    await page.getByRole('button', { name: 'edit version 2' }).click();
    await expectShown(button('Save as version 3'));
    expect(await page.getByLabel('Description').inputValue()).toBe('');
  });

  it('mints from a form, once however often it is sent, and shows how far the order is', async () => {
    const document = await createMetadata();
    await signIn(`#/mint?contract=${contractId}`);
    await page.getByLabel('Receiver').fill(RECEIVER);
    await page.getByRole('textbox', { name: 'Token id' }).fill('77');
    await page.getByLabel('Metadata: id of a document').fill(document);
    // The first reply is lost on its way.
    await context.route(
      `${baseUrl}/minting/order`,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await button('Mint').click();
    await expectShown(page.getByRole('alert').getByText('fetch'));
    await button('Mint').click();
    await expectShown(page.getByText('Accepted, with the Idempotency-Key'));
    await expectShown(page.getByRole('list', { name: 'Progress' }).getByText('Confirmed: done'));
    const orders = await read<{ status: string }[]>(`/minting/by-token?contractAddress=${contractAddress}&tokenId=77`);
    expect(orders.map(({ status }) => status)).toEqual(['CONFIRMED']);
  });

  it('makes a claim link, once however often it is sent, shows it once, and cancels it', async () => {
    const document = await createMetadata();
    await signIn('#/claims');
    await page.getByRole('textbox', { name: 'Token id' }).fill('78');
    await page.getByLabel('Metadata: id of a document').fill(document);
    await page.getByLabel('PIN').fill('4711');
    await context.route(
      `${baseUrl}/claims`,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await button('Make a link').click();
    await expectShown(page.getByRole('alert').getByText('fetch'));
    await button('Make a link').click();
    await expectShown(page.getByText('it is not shown again'));
    const link = (await page.locator('code').filter({ hasText: '/claim/' }).textContent()) ?? '';
    const [, id = '', secret = ''] = /\/claim\/([0-9a-f]{24})#([0-9a-f]{64})$/.exec(link) ?? [];
    const claims = await read<{ items: object[] }>(`/claims?contractAddress=${contractAddress}`);
    expect(claims.items).toEqual([expect.objectContaining({ id, tokenId: '78', hasPin: true, status: 'OPEN' })]);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: id });
    await expectShown(row.getByText('open'));
    expect(await page.content()).not.toContain(secret);
    await row.getByRole('button', { name: 'Cancel link' }).click();
    await button('Yes, cancel link').click();
    await expectShown(row.getByText('cancelled'));
    await page.getByLabel('State').selectOption('OPEN');
    await button('Show').click();
    await expectShown(page.getByText('None.'));
    expect(await read(`/claims/${id}`)).toMatchObject({ status: 'CANCELLED' });
  });

  it('imports a file: template, preview, faults, start, progress and result', async () => {
    await signIn('#/imports');
    const template = page.waitForEvent('download');
    await button('Template').click();
    const header = (await textOf(await template)).split('\r\n')[0]?.replace('\uFEFF', '') ?? '';
    const row = (token: number, receiver: string) =>
      header
        .split(',')
        .map(
          (name) =>
            ({
              receiverAddress: receiver,
              tokenId: String(token),
              amount: '2',
              name: `Seat ${token}`,
              imageUrl: 'https://example.com/a.png',
              'utility.type': 'Flexible',
              'utility.data.status': 'Unused',
            })[name] ?? '',
        )
        .join(',');
    const file = [header, row(501, RECEIVER), row(502, '0x1'), row(503, RECEIVER)].join('\n');
    await page.getByLabel('File').setInputFiles({ name: 'seats.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
    await button('Upload and check').click();

    await expectShown(page.getByText('3 of 3 rows').or(page.getByText('1 have faults')).first());
    await expectShown(heading('1 faults'));
    const fault = page.getByRole('region', { name: 'Faults' }).getByRole('row').filter({ hasText: 'receiverAddress' });
    await expectShown(fault.getByText('must be an address'));
    await expectShown(page.getByRole('region', { name: 'The first rows' }).getByText('Seat 502'));
    await button('Start without the rows that have faults').click();
    await button('Yes, start without the rows that have faults').click();
    await expectShown(page.getByText('2 rows accepted, 1 rejected, 0 left'));
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('3');

    const result = page.waitForEvent('download');
    await button('Result').click();
    const lines = (await textOf(await result)).trimEnd().split('\r\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['row', '2', '3', '4']);
    expect(lines[2]).toContain('REFUSED');
    await page.getByRole('link', { name: 'Import' }).click();
    await expectShown(page.getByRole('region', { name: 'Imports' }).getByText('Documents, and a mint of each'));
  });

  it('says of a file that cannot be read what is wrong with it', async () => {
    await signIn('#/imports');
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('tokenId\n1') });
    await button('Upload and check').click();
    await expectShown(page.getByRole('alert').getByText('must be one of the columns'));
  });

  it('creates a key, which it shows once, and revokes it', async () => {
    await signIn('#/account');
    await page.getByRole('textbox', { name: 'Name' }).fill('From the portal');
    await page.getByRole('checkbox', { name: 'read' }).check();
    await button('Create key').click();
    await button('Yes, create key').click();
    const created = (await page.locator('code').filter({ hasText: 'key_live_' }).textContent()) ?? '';
    const status = async () => (await fetch(`${baseUrl}/limits`, { headers: { 'x-api-key': created } })).status;
    expect(await status()).toBe(200);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'From the portal' });
    await expectShown(row);
    expect(await page.content()).not.toContain(created);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await button('Yes, revoke').click();
    await expectGone(row);
    await expect.poll(status).toBe(401);
  });

  it('decides what waits for a second person', async () => {
    await admin('/approvals/setting', { required: true });
    const order = await api.post('/contracts/forwarder', { chainId: '43114', alias: 'second' });
    await page.clock.install();
    await signIn('#/account');
    await expectShown(
      page.getByText(
        'Ownership transfers, forwarders, and contracts that trust a foreign forwarder need a second person.',
      ),
    );
    await page
      .getByRole('row')
      .filter({ hasText: 'deploy a forwarder' })
      .getByRole('button', { name: 'Refuse' })
      .click();
    // The list is read again while the question is open.
    const again = page.waitForResponse(/\/approvals\?/);
    await page.clock.fastForward(20_000);
    await (await again).finished();
    await button('Yes, refuse').click();
    await expectShown(page.getByRole('region', { name: 'Approvals' }).getByText('refused'));
    await admin('/approvals/setting', { required: false });
    // A deployment that was refused is cancelled, not failed, although the API has no other status for it.
    await page.goto(`${baseUrl}/portal#/orders/DeployedContract/${String(order['_id'])}`);
    await expectShown(heading('Cancelled'));
  });

  it('shows the limits with what is used, and who changed what', async () => {
    const id = await createMetadata();
    await setStatus(id, 'Used');
    await signIn('#/account');
    await expectShown(page.getByText(/^\d+, no limit$/).first());
    const changes = page.getByRole('region', { name: 'Changes' }).getByRole('row');
    const change = changes.filter({ hasText: 'POST /metadata/{id}/status' }).filter({ hasText: id });
    await expectShown(change.filter({ hasText: 'the key Portal' }));
  });

  it('can be used with the keyboard alone', async () => {
    await page.goto(`${baseUrl}/portal`);
    await page.keyboard.press('Tab');
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await expectShown(page.getByRole('navigation'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('link', { name: failedMint }).focus();
    await page.keyboard.press('Enter');
    await expectShown(heading('Failed'));
  });

  it.each([390, 1_280].flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
    'has nothing that axe finds at %i pixels, %s, on any page, and cuts nothing',
    async (width, theme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(`${baseUrl}/portal`);
      await page.getByText('How do I get a key?').click();
      expect(await accessibilityIssues(page)).toEqual([]);
      await screenshot(page, `portal-sign-in-${width}-${theme}`);
      await signIn();
      const importId = await importFaulty();
      const [delivery] = (await read<{ items: { id: string }[] }>('/webhooks/deliveries?limit=1')).items;
      const views = {
        orders: ['#/orders', 'Orders'],
        order: [`#/orders/MintingOrder/${failedMint}`, 'Failed'],
        webhooks: ['#/webhooks', 'Webhooks'],
        contracts: ['#/contracts', 'Contracts'],
        contract: [`#/contracts/${contractId}`, 'Its tokens, newest document first'],
        mint: ['#/mint', 'What'],
        claims: ['#/claims', 'Newest first'],
        imports: ['#/imports', 'A file'],
        import: [`#/imports/${importId}`, 'The first rows'],
        account: ['#/account', 'Keys'],
        metadata: [`#/metadata/${metadataId}`, 'Edit'],
        delivery: [`#/webhooks/${delivery?.id}`, 'What happened'],
      };
      for (const [name, [hash = '', title = '']] of Object.entries(views)) {
        await page.goto(`${baseUrl}/portal${hash}`);
        await heading(title).first().waitFor();
        await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
        await screenshot(page, `portal-${name}-${width}-${theme}`);
        expect([name, await accessibilityIssues(page)]).toEqual([name, []]);
        expect([name, await tooWide(width)]).toEqual([name, []]);
      }
    },
  );
});

/** An import that has a fault. */
async function importFaulty(): Promise<string> {
  const file = 'name,imageUrl,utility.type,utility.data.status\nA poster with a long name,none,Flexible,Unused\n';
  const reply = await fetch(`${baseUrl}/imports?kind=metadata&chainId=43114`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'text/csv' },
    body: file,
  });
  const { id } = (await reply.json()) as { id: string };
  await expect.poll(async () => (await read<{ status: string }>(`/imports/${id}`)).status).toBe('CHECKED');
  return id;
}

async function textOf(download: Download): Promise<string> {
  return await readFile(await download.path(), 'utf8');
}

/** What is wider than the screen, or than where it scrolls. */
const tooWide = (width: number) =>
  page.evaluate(
    `[...document.querySelectorAll('body *:not(.skip, .visually-hidden, thead *, option)')]
       .filter((element) => element.getBoundingClientRect().right > ${width} + 1 || (element.matches('.scroll') && element.scrollWidth > element.clientWidth))
       .map((element) => element.outerHTML.slice(0, 200))`,
  );
