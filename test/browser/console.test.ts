import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { connectApi } from '../../scripts/demo/api.ts';
import {
  accessibilityIssues,
  closePage,
  expectGone,
  expectShown,
  launchBrowser,
  openPage,
  screenshot,
  THEMES,
  WIDTHS,
} from './browser.ts';
import { chainRpc } from './certificates.ts';
import { seedOrders, type Seeded } from './seed-orders.ts';

const info = inject('info');
const { baseUrl, adminSecret, databaseUrl } = info;
const api = connectApi(info);
const ORDERS = 100_000;

let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the browser reported as wrong: scripts that failed, and whatever the policy refused. */
let problems: string[];
let seeded: Seeded;
let contractAddress: string;
let minted: Awaited<ReturnType<typeof mint>>;

beforeAll(async () => {
  browser = await launchBrowser();
  const accepted = await api.post('/contracts/deploy', {
    chainId: '43114',
    name: 'Console',
    symbol: 'CON',
    ercStandard: '721',
    contractType: 'standard',
  });
  contractAddress = String((await api.result(`/contracts/${String(accepted['_id'])}`))['contractAddress']);
  minted = await mint('1');
  await api.result(`/minting/${minted.id}`);
  seeded = await seedOrders(ORDERS);
  await chainRpc('43114', 'anvil_setBalance', [seeded.walletAddress, `0x${(1_240n * 10n ** 18n).toString(16)}`]);
});
afterAll(() => browser.close());
beforeEach(async () => {
  ({ context, page, problems } = await openPage(browser));
});
afterEach(() => closePage({ context, problems }));

async function mint(tokenId: string) {
  const metadata = await api.post('/metadata', {
    chainId: '43114',
    name: 'A token',
    imageUrl: 'https://example.com/a.png',
    utility: { type: 'Flexible', data: {} },
  });
  const order = await api.post('/minting/order', {
    chainId: '43114',
    contractAddress,
    receiverAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    tokenId,
    metadataId: metadata['_id'],
  });
  return { id: String(order['id']) };
}

const admin = (path: string, method = 'POST') =>
  fetch(`${baseUrl}${path}`, { method, headers: { 'x-admin-secret-key': adminSecret } });

async function signIn(hash = '#/'): Promise<void> {
  await page.goto(`${baseUrl}/console${hash}`);
  await page.getByLabel('Admin key').fill(adminSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
}

const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true });

async function search(text: string): Promise<void> {
  await page.getByRole('searchbox').fill(text);
  await page.getByRole('searchbox').press('Enter');
}

describe('the console', () => {
  it('opens with the admin key alone, which it keeps in the tab until the operator signs out', async () => {
    await page.goto(`${baseUrl}/console`);
    await page.getByLabel('Admin key').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectShown(page.getByRole('alert').getByText('is not valid'));
    await signIn();
    await page.reload();
    await expectShown(page.getByRole('navigation'));
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
    const other = await context.newPage();
    await other.goto(`${baseUrl}/console`);
    await expectShown(other.getByLabel('Admin key'));
    await other.close();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectShown(page.getByLabel('Admin key'));
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('uses only the public API: every request is one that the API document describes', async () => {
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(`${request.method()} ${new URL(request.url()).pathname}`));
    await signIn();
    await heading('Newest orders').waitFor();
    for (const view of ['Orders', 'Webhooks', 'Accounts']) {
      await page.getByRole('navigation').getByRole('link', { name: view }).click();
      await expectShown(page.getByRole('table').first());
    }
    const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as { paths: Record<string, object> };
    const calls = [...asked].filter((call) => !/ \/(?:console$|pages\/)/.test(call));
    expect(calls.length).toBeGreaterThan(4);
    expect(calls.filter((call) => !(call.replace('GET ', '') in paths))).toEqual([]);
  });

  it('says what needs attention, without a reload', async () => {
    await signIn();
    const status = page.getByRole('region', { name: 'State of the service' });
    await expectShown(status.getByText('Webhooks of acme-watches'));
    await admin('/admin/chains/43113/pause');
    await expectShown(status.getByText('Avalanche Fuji is paused'));
    await page.getByRole('button', { name: 'Resume Avalanche Fuji' }).click();
    await page.getByRole('button', { name: 'Yes, resume avalanche fuji' }).click();
    await expectGone(status.getByText('Avalanche Fuji is paused'));
  });

  it('says that the state cannot be read when the service does not answer', async () => {
    await signIn();
    await heading('Newest orders').waitFor();
    await context.route(`${baseUrl}/status`, (route) => route.abort());
    await expectShown(page.getByText('The state cannot be read'));
  });

  it('asks nothing while the page is hidden, and asks at once when it is shown again', async () => {
    await page.clock.install();
    await signIn();
    await heading('Newest orders').waitFor();
    let asked = 0;
    page.on('request', () => (asked += 1));
    const setVisibility = (value: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${value}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await setVisibility('hidden');
    await page.clock.runFor(120_000);
    expect(asked).toBe(0);
    const status = page.waitForRequest((request) => request.url().endsWith('/status'));
    await setVisibility('visible');
    await status;
  });

  it('finds an order by its id, its transaction and its token, and tells its story', async () => {
    const order = (await (await admin(`/admin/orders/${minted.id}`, 'GET')).json()) as { txHash: string };
    await signIn();
    for (const text of [minted.id, order.txHash, `${contractAddress}/1`]) {
      await search(text);
      await expectShown(page.getByRole('heading', { name: minted.id }));
      const story = page.getByRole('list').filter({ hasText: 'Accepted' });
      await expectShown(story.getByText('attempt 1, nonce'));
      await expectShown(story.getByRole('heading', { name: 'Confirmed', exact: true }));
      expect(await story.getByRole('link', { name: order.txHash }).first().getAttribute('href')).toBe(
        `https://snowtrace.io/tx/${order.txHash}`,
      );
      await page.goBack();
    }
    await search('no such thing');
    await expectShown(page.getByRole('alert').getByText('must be an order id'));
  });

  it('pauses an account, cancels what waits there, and resumes it', async () => {
    await signIn(`#/accounts/${info.corporateId}`);
    await page.getByRole('button', { name: 'Pause account' }).click();
    await page.getByRole('button', { name: 'Yes, pause account' }).click();
    await expectShown(page.getByRole('button', { name: 'Resume account' }));
    const order = await mint('2');
    await search(order.id);
    await expectShown(page.getByText('held: paused').first());
    await page.getByRole('button', { name: 'Cancel order' }).click();
    await page.getByRole('button', { name: 'Yes, cancel order' }).click();
    await expectShown(page.getByRole('heading', { name: 'Cancelled', exact: true }));
    await page.goto(`${baseUrl}/console#/accounts/${info.corporateId}`);
    await page.getByRole('button', { name: 'Resume account' }).click();
    await page.getByRole('button', { name: 'Yes, resume account' }).click();
    await expectShown(page.getByRole('button', { name: 'Pause account' }));
  });

  it('replays a webhook that failed', async () => {
    await signIn(`#/orders/${seeded.deliveryId}`);
    await page.getByRole('button', { name: 'Replay mint.confirmed', exact: true }).click();
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/replay')),
      page.getByRole('button', { name: 'Yes, replay mint.confirmed' }).click(),
    ]);
    expect(reply.status()).toBe(200);
    await expectGone(page.getByRole('button', { name: 'Replay mint.confirmed', exact: true }));
  });

  it('can be used with the keyboard alone', async () => {
    await page.goto(`${baseUrl}/console`);
    await page.keyboard.press('Tab');
    await page.keyboard.type(adminSecret);
    await page.keyboard.press('Enter');
    await expectShown(page.getByRole('navigation'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('button', { name: 'Pause Avalanche', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expectShown(page.getByRole('dialog'));
    await page.keyboard.press('Escape');
    await expectGone(page.getByRole('dialog'));
  });
});

describe(`the console with ${ORDERS.toLocaleString('en')} orders`, () => {
  it('loads with one request a panel, a hundred kilobytes and no scan of a big table', async () => {
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const scans = async () => {
      const { rows } = await database.query<{ name: string; sequential: number; indexed: number }>(
        `select relname as name, seq_scan::int as sequential, idx_scan::int as indexed from pg_stat_user_tables
         where relname in ('minting_orders', 'transactions', 'attempts', 'webhook_deliveries')`,
      );
      return new Map(rows.map(({ name, sequential, indexed }) => [name, { sequential, indexed }]));
    };
    const before = await scans();
    const requests: string[] = [];
    let bytes = 0;
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      if (!/^\/(?:admin\/|status)/.test(pathname)) return;
      requests.push(pathname);
      bytes += (await response.body()).length;
    });
    await signIn();
    for (const panel of ['Orders by hour', 'Wallets', 'Queues', 'Newest orders']) await heading(panel).waitFor();
    await expectShown(page.getByText('All', { exact: true }));
    await expect.poll(() => new Set(requests).size).toBe(5);
    expect(bytes).toBeLessThan(150_000);
    await search(seeded.contractAddress);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    await search(`${seeded.contractAddress}/500`);
    await expectShown(page.getByRole('heading', { name: 'Confirmed', exact: true }));
    await search(seeded.walletAddress);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    await page.goto(`${baseUrl}/console#/webhooks`);
    await expectShown(page.getByText('hooks.acme.example'));
    // Connections report what they have scanned at the latest when they have been idle for ten seconds.
    await delay(12_000);
    const after = await scans();
    const scanned = [...after].filter(([name, { sequential }]) => sequential !== before.get(name)?.sequential);
    expect(scanned.map(([name]) => name)).toEqual([]);
    const unread = [...after].filter(([name, { indexed }]) => indexed === before.get(name)?.indexed);
    expect(unread.map(([name]) => name)).toEqual([]);
    await database.end();
  });

  it.each(WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
    'has nothing that axe finds at %i pixels, %s, on any page, and does not scroll sideways',
    async (width, theme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(`${baseUrl}/console`);
      await expectShown(page.getByLabel('Admin key'));
      expect(await accessibilityIssues(page)).toEqual([]);
      await screenshot(page, `console-sign-in-${width}-${theme}`);
      await signIn();
      const views = {
        overview: ['#/', 'Newest orders'],
        orders: ['#/orders', 'Newest orders'],
        order: [`#/orders/${minted.id}`, 'What happened'],
        failed: [`#/orders/${seeded.deliveryId}`, 'What happened'],
        webhooks: ['#/webhooks', 'Failing webhooks'],
        accounts: ['#/accounts', 'Accounts'],
        account: [`#/accounts/${seeded.corporateId}`, 'Acme Watches'],
      };
      for (const [name, [hash = '', title = '']] of Object.entries(views)) {
        await page.goto(`${baseUrl}/console${hash}`);
        await heading(title).waitFor();
        await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
        expect([name, await accessibilityIssues(page)]).toEqual([name, []]);
        expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width]);
        await screenshot(page, `console-${name}-${width}-${theme}`);
      }
    },
  );
});
