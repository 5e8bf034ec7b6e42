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
    await expectShown(status.getByText('Webhooks of Acme Watches'));
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
  });

  it('pauses an account, cancels what waits there, and resumes it', async () => {
    await signIn(`#/accounts/${info.corporateId}`);
    await page.getByRole('button', { name: 'Pause account' }).click();
    await page.getByRole('button', { name: 'Yes, pause account' }).click();
    await expectShown(page.getByRole('button', { name: 'Resume account' }));
    const order = await mint('2');
    await search(order.id);
    await expectShown(page.getByText('held: paused').first());
    const why = page.getByText(
      'The operator has paused the account. The operator has paused the account or the chain.',
    );
    await expectShown(why.getByText('It continues when the operator resumes it.'));
    expect(await page.getByText('signed by').count()).toBe(0);
    expect(await page.getByText('{"').count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel order' }).click();
    await page.getByRole('button', { name: 'Yes, cancel order' }).click();
    await expectShown(page.getByRole('heading', { name: 'Cancelled', exact: true }));
    await expectShown(page.getByText('Cancelled: Cancelled before it was sent'));
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

  it('leads from a figure to the orders that it counts, each with its account by name, its token and why it failed', async () => {
    await signIn();
    const tile = page.getByRole('link', { name: /^Failed, 24 hours: [1-9]/ });
    const count = Number((await tile.textContent())?.replaceAll(',', ''));
    await tile.click();
    await expectShown(heading('Orders found'));
    const rows = page.getByRole('region', { name: 'Orders' }).locator('tbody tr');
    const one = rows.filter({ hasText: 'The token exists' }).first();
    await expectShown(one.getByRole('link', { name: 'Acme Watches' }));
    expect(await page.getByLabel('State').inputValue()).toBe('failed');
    let seen = await rows.count();
    for (
      const older = page.getByRole('button', { name: 'Older' });
      await older.isEnabled();
      seen += await rows.count()
    ) {
      const last = await rows.last().textContent();
      await older.click();
      await expect.poll(async () => (await rows.count()) > 0 && (await rows.last().textContent()) !== last).toBe(true);
    }
    expect(seen).toBe(count);
    await admin(`/admin/accounts/${info.corporateId}/pause`);
    await admin(`/admin/orders/${(await mint('9')).id}/cancel`);
    await admin(`/admin/accounts/${info.corporateId}/resume`);
    await page.goto(`${baseUrl}/console#/`);
    await page.getByRole('link', { name: /^Cancelled, 24 hours: / }).click();
    await expectShown(page.getByRole('region', { name: 'Orders' }).getByText('Cancelled before it was sent').first());
    expect(await page.getByRole('region', { name: 'Orders' }).getByText('The token exists').count()).toBe(0);
  });

  it('filters orders by kind, state, account, contract, text and time, in a link', async () => {
    await signIn('#/orders');
    const filter = page.getByRole('form', { name: 'Filter' });
    const rows = page.getByRole('region', { name: 'Orders' }).locator('tbody tr');
    await filter.getByLabel('Contract').fill(contractAddress);
    await filter.getByLabel('Account (corporateId)').fill(info.corporateId);
    await filter.getByLabel('Kind').selectOption('mint');
    await filter.getByLabel('State').selectOption('confirmed');
    await filter.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await expectShown(rows.getByRole('link', { name: minted.id.slice(0, 8) }));
    await filter.getByLabel('Accepted from').fill('2099-01-01T00:00');
    await filter.getByRole('button', { name: 'Show' }).click();
    await expectShown(page.getByText('No order.'));
    await page.getByRole('link', { name: 'All orders' }).click();
    // Then the form is a new one.
    await expectShown(page.getByRole('heading', { name: 'Newest orders' }));
    await filter.getByLabel('Text').fill('token EXISTS');
    await filter.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => rows.filter({ hasText: 'The token exists' }).count()).toBe(25);
  });

  it('finds accounts by name, and says what it looked for when nothing is found', async () => {
    await signIn();
    await search('acme wat');
    await expectShown(page.getByRole('region', { name: 'Accounts' }).getByRole('link', { name: 'Acme Watches' }));
    await search(seeded.walletAddress);
    await expectShown(page.getByRole('region', { name: 'Accounts' }).getByRole('link', { name: 'Acme Watches' }));
    for (const text of ['no such thing', '0x12', `${contractAddress}/x`, '%', `'"`, 'x'.repeat(300)]) {
      await search(text);
      await expectShown(page.getByText('No account has this'));
      await expectShown(page.getByText(/^None of the newest orders has this/));
      expect([text, await page.getByRole('alert').allTextContents()]).toEqual([text, []]);
    }
  });

  it('replays all failed webhooks of an endpoint, which it names, and shows why they failed', async () => {
    await signIn('#/webhooks');
    const failed = page.getByRole('region', { name: 'Deliveries that failed' }).getByRole('row');
    await expectShown(failed.filter({ hasText: /failed, (?:status \d+|\w)/ }).first());
    await page
      .getByRole('region', { name: 'Failing endpoints' })
      .getByRole('row')
      .filter({ hasText: 'hooks.acme.example' })
      .getByRole('button', { name: 'Replay all failed' })
      .click();
    await expectShown(page.getByRole('dialog').getByText('https://hooks.acme.example/nft of Acme Watches'));
    await page.getByRole('button', { name: 'Yes, replay all failed' }).click();
    await expectShown(page.getByText(/^Sent again: [1-9]/));
  });

  it('sets the limits of an account after a confirmation that names what changes', async () => {
    await signIn(`#/accounts/${seeded.corporateId}`);
    await page.getByText('Set limits').first().click();
    const form = page.getByRole('form', { name: 'Set limits' });
    await form.getByLabel('Orders a day').fill('5');
    await form.getByLabel('Receivers').fill(seeded.walletAddress.toLowerCase());
    await form.getByLabel('Avalanche', { exact: true }).check();
    await form.getByLabel('Avalanche: coins a day').fill('1.5');
    await form.getByRole('button', { name: 'Set limits' }).click();
    const asked = page.getByRole('dialog');
    await expectShown(asked.getByText('For Acme Watches:'));
    expect(await asked.getByRole('listitem').allTextContents()).toEqual([
      'Orders a day: 5 (was: no limit)',
      'Chains: 43114 (was: no limit)',
      `Receivers: ${seeded.walletAddress.toLowerCase()} (was: no limit)`,
      'Avalanche, coins a day: 1.5 (was: no limit)',
    ]);
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await expectGone(asked);
    const stored = async () => {
      const reply = await admin(`/admin/accounts/${seeded.corporateId}`, 'GET');
      return ((await reply.json()) as { limits: object }).limits;
    };
    expect(await stored()).toMatchObject({ ordersPerDay: null, chains: null });
    await form.getByRole('button', { name: 'Set limits' }).click();
    await page.getByRole('button', { name: 'Yes, set limits' }).click();
    await expectGone(asked);
    expect(await stored()).toMatchObject({
      ordersPerDay: 5,
      pendingOrders: null,
      receivers: [seeded.walletAddress.toLowerCase()],
      chains: ['43114'],
      spend: { 43114: { perDay: '1.5', perOrder: null } },
    });
    await form.getByLabel('Orders a day').fill('');
    await form.getByLabel('Avalanche: coins a day').fill('much');
    await form.getByRole('button', { name: 'Set limits' }).click();
    await page.getByRole('button', { name: 'Yes, set limits' }).click();
    await expectShown(asked.getByRole('alert').getByText('must be coins in decimal'));
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await expectShown(
      page.getByRole('region', { name: 'Changes' }).getByText('PUT /admin/accounts/{corporateId}/limits').first(),
    );
  });

  it('creates a key of an account, which it shows once, and revokes it', async () => {
    await signIn(`#/accounts/${seeded.corporateId}`);
    const form = page.getByRole('form', { name: 'Create a key' });
    await form.getByLabel('Name').fill('From the console');
    await form.getByLabel('For').selectOption('test');
    await form.getByLabel('read').check();
    await form.getByRole('button', { name: 'Create key' }).click();
    await expectShown(page.getByRole('dialog').getByText('The key From the console of Acme Watches may do: read.'));
    await page.getByRole('button', { name: 'Yes, create key' }).click();
    const created = (await page.locator('code').filter({ hasText: 'key_test_' }).textContent()) ?? '';
    const status = async () => (await fetch(`${baseUrl}/limits`, { headers: { 'x-api-key': created } })).status;
    expect(await status()).toBe(200);
    await page.reload();
    const row = page.getByRole('region', { name: 'Keys' }).getByRole('row').filter({ hasText: 'From the console' });
    await expectShown(row);
    expect(await page.content()).not.toContain(created);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await expectShown(page.getByRole('dialog').getByText('the key From the console of Acme Watches'));
    await page.getByRole('button', { name: 'Yes, revoke' }).click();
    await expectGone(row);
    await expect.poll(status).toBe(401);
  });

  it('confirms to the public who an account is, says how that is proven, and withdraws it', async () => {
    await signIn(`#/accounts/${seeded.corporateId}`);
    const form = page.getByRole('form', { name: 'Confirm the issuer' });
    await form.getByLabel('Public name').fill('Acme');
    await form.getByLabel('Logo').fill('https://acme.example/logo.svg');
    await form.getByLabel('Domain').fill('acme.example');
    await form.getByRole('button', { name: 'Confirm issuer' }).click();
    await expectShown(page.getByRole('dialog').getByText('you know that the company is Acme and owns acme.example'));
    await page.getByRole('button', { name: 'Yes, confirm issuer' }).click();
    await expectShown(page.getByRole('link', { name: 'https://acme.example/.well-known/nft-issuer.json' }));
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('button', { name: 'Yes, withdraw' }).click();
    await expectShown(page.getByText('Not confirmed: the certificate check shows the issuer as unknown.'));
  });

  it('has the command that creates an account, as a shell needs it', async () => {
    await signIn('#/accounts');
    await page.getByLabel('Name', { exact: true }).fill("L'Atelier");
    await expectShown(page.getByText(String.raw`npm run corporate -- --name 'L'\''Atelier'`));
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
         where relname in ('orders', 'attempts', 'webhook_deliveries')`,
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
      // Of what the page has left by then there is no body any more.
      const body = await response.body().catch(() => Buffer.alloc(0));
      bytes += body.length;
    });
    await signIn();
    for (const panel of ['Orders by hour', 'Wallets', 'Queues', 'Newest orders']) await heading(panel).waitFor();
    await expectShown(page.getByText('All', { exact: true }));
    await expect.poll(() => new Set(requests).size).toBe(5);
    expect(bytes).toBeLessThan(150_000);
    const found = page.getByRole('region', { name: 'Orders' }).locator('tbody tr');
    await search(seeded.contractAddress);
    await expect.poll(() => found.count()).toBe(50);
    await search(`${seeded.contractAddress}/500`);
    await expectShown(page.getByRole('heading', { name: 'Confirmed', exact: true }));
    await search(seeded.walletAddress);
    await expect.poll(() => found.count()).toBe(50);
    for (const filter of [
      'state=failed',
      'state=held',
      'kind=burn',
      `contract=${seeded.contractAddress}`,
      'text=exists',
    ]) {
      await page.goto(`${baseUrl}/console#/orders?${filter}`);
      await expectShown(page.getByText('Newest first'));
      await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
    }
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
        found: ['#/search?q=acme', 'Found'],
        filtered: ['#/orders?state=failed&account=acme-watches', 'Orders found'],
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
