import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import {
  THEMES,
  WIDTHS,
  accessibilityIssues,
  closePage,
  expectShown,
  launchBrowser,
  openPage,
  screenshot,
} from './browser.ts';

const { baseUrl, adminSecret, corporateId } = inject('info');
let browser: Browser;
/** The HTML of each page of the site, by its path: what links lead to from the first one. */
const pages = new Map<string, string>();

/** Paths of the site; other paths belong to the API, the portal, the console and the check. */
const OF_THE_SITE = /^\/(?:docs(?:\/|$)|$)/;

const matchesOf = (html: string, pattern: RegExp) => Array.from(html.matchAll(pattern), ([, text = '']) => text);
const linksOf = (html: string) => matchesOf(html, /<a [^>]*href="([^"]+)"/g);

beforeAll(async () => {
  browser = await launchBrowser();
  const toRead = ['/'];
  for (let path = toRead.pop(); path !== undefined; path = toRead.pop()) {
    if (pages.has(path)) continue;
    const reply = await fetch(baseUrl + path);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`);
    const html = await reply.text();
    pages.set(path, html);
    toRead.push(
      ...linksOf(html)
        .map((link) => link.replace(/#.*/, ''))
        .filter((link) => OF_THE_SITE.test(link)),
    );
  }
});
afterAll(() => browser.close());

/** Whether the page is wider than the screen. */
const scrollsSideways = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth');

/** One page of each form. */
const FORMS = [
  '/',
  '/docs',
  '/docs/errors',
  '/docs/console',
  '/docs/comparison',
  '/docs/schemas',
  '/docs/programs/guide.ts',
  '/docs/reference',
  '/docs/reference/order-mint',
  '/docs/reference/upload-asset',
  '/docs/reference/on-mint-confirmed',
];

describe('the site', () => {
  it('has a page for each operation and event of the API, and each document', async () => {
    const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Record<'paths' | 'webhooks', object>;
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(Object.keys);
    const ofReference = [...pages.keys()].filter((path) => path.startsWith('/docs/reference/'));
    expect(ofReference).toHaveLength(operations.length);
    const documents = [
      '',
      '/changelog',
      '/partner-guide',
      '/operations',
      '/decisions',
      '/decisions/0008-neon-over-http',
      '/programs/tsconfig.json',
    ];
    expect([...pages.keys()]).toEqual(expect.arrayContaining(documents.map((name) => `/docs${name}`)));
  });

  it('links to pages and anchors that exist', async () => {
    const anchors = new Map([...pages].map(([path, html]) => [path, new Set(matchesOf(html, / id="([^"]+)"/g))]));
    const elsewhere = new Set<string>();
    const broken = [...pages].flatMap(([path, html]) =>
      linksOf(html).filter((link) => {
        if (/^https?:/.test(link)) return false;
        const [target = '', anchor] = link.split('#');
        const page = target === '' ? path : target;
        if (!OF_THE_SITE.test(page)) elsewhere.add(page);
        return anchor !== undefined && anchors.get(page)?.has(anchor) !== true;
      }),
    );
    expect(broken).toEqual([]);
    expect(elsewhere.size).toBeGreaterThan(4);
    for (const link of elsewhere) expect([link, (await fetch(baseUrl + link)).status]).toEqual([link, 200]);
  });

  it('has in each page a sidebar that marks it, headings that skip no level, and no id twice', () => {
    for (const [path, html] of pages) {
      const ids = matchesOf(html, / id="([^"]+)"/g);
      expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []]);
      const [, main = ''] = html.split('<main');
      const levels = matchesOf(main, /<h([1-6])/g).map(Number);
      const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
      expect([path, levels.filter((level) => level === 1), skipped]).toEqual([path, [1], []]);
      const isListed = !path.startsWith('/docs/decisions/') && !/\.\w+$/.test(path);
      expect([path, matchesOf(html, /href="([^"]+)" aria-current="page"/g)]).toEqual([path, isListed ? [path] : []]);
    }
  });

  it('takes less than 300 KB a page, in at most six requests, the search among them', async () => {
    const sizes = new Map<string, number>();
    const sizeOf = async (file: string) => {
      const known = sizes.get(file) ?? (await (await fetch(baseUrl + file)).arrayBuffer()).byteLength;
      sizes.set(file, known);
      return known;
    };
    for (const [path, html] of pages) {
      const files = [...matchesOf(html, /(?:src|href)="(\/pages\/[^"]+)"/g), '/pages/site/search.json'];
      let bytes = new TextEncoder().encode(html).length;
      for (const file of files) bytes += await sizeOf(file);
      expect([path, 1 + files.length, bytes]).toEqual([
        path,
        expect.toSatisfy((count) => count <= 6),
        expect.toSatisfy((size) => size < 300_000),
      ]);
    }
  });

  it('says in each page what it is about, and is also there as Markdown', async () => {
    const abouts = new Map(
      [...pages].map(([path, html]) => [path, matchesOf(html, /<meta name="description" content="([^"]+)"/g)]),
    );
    expect([...abouts].filter(([, about]) => about.length !== 1)).toEqual([]);
    const markdown = [...pages].flatMap(([path, html]) =>
      matchesOf(html, /<link rel="alternate" type="text\/markdown" href="([^"]+)"/g).map(
        (href) => [path, href] as const,
      ),
    );
    expect(markdown.length).toBeGreaterThan(150);
    const links = new Set<string>();
    for (const [path, href] of markdown) {
      const reply = await fetch(baseUrl + href);
      expect([path, href, reply.status]).toEqual([path, `${path}.md`, 200]);
      expect(reply.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      const text = await reply.text();
      expect(text).toMatch(/^# /);
      for (const link of matchesOf(text, /\]\((\/[^)#]+)/g)) links.add(link);
    }
    for (const link of links) expect([link, (await fetch(baseUrl + link)).status]).toEqual([link, 200]);
  });

  it('leads programs to every page, and crawlers to all', async () => {
    const text = await (await fetch(`${baseUrl}/llms.txt`)).text();
    const links = matchesOf(text, /\]\(([^)]+)\)/g);
    expect(links.length).toBeGreaterThan(150);
    for (const link of links) expect([link, (await fetch(baseUrl + link)).status]).toEqual([link, 200]);
    expect(await (await fetch(`${baseUrl}/robots.txt`)).text()).toBe('User-agent: *\nAllow: /\n');
    const icon = await fetch(`${baseUrl}/favicon.ico`);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  it('never scrolls sideways on a phone, on any page', async () => {
    const opened = await openPage(browser, { viewport: { width: 390, height: 844 } });
    const wide: string[] = [];
    for (const path of pages.keys()) {
      await opened.page.goto(baseUrl + path);
      if ((await scrollsSideways(opened.page)) === true) wide.push(path);
    }
    expect(wide).toEqual([]);
    await closePage(opened);
  });

  it.each(WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
    'at %i pixels, %s, has nothing that axe finds wrong, and asks nobody else',
    async (width, colorScheme) => {
      const opened = await openPage(browser, { viewport: { width, height: 900 }, colorScheme });
      const { page } = opened;
      const origins = new Set<string>();
      page.on('request', (request) => origins.add(new URL(request.url()).origin));
      for (const path of FORMS) {
        await page.goto(baseUrl + path);
        await expectShown(page.getByRole('combobox', { name: 'Search the documentation' }));
        for (const folded of await page.locator('main details').all()) {
          await folded.evaluate((element) => element.setAttribute('open', ''));
        }
        expect([path, await accessibilityIssues(page), await scrollsSideways(page)]).toEqual([path, [], false]);
        await screenshot(page, `site${path.replaceAll('/', '-')}-${width}-${colorScheme}`);
      }
      expect([...origins]).toEqual([baseUrl]);
      await closePage(opened);
    },
  );

  it('is read without JavaScript: an operation, its samples in each language, the sidebar on a phone', async () => {
    const opened = await openPage(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    const { page } = opened;
    await page.goto(`${baseUrl}/docs/reference/order-mint`);
    await expectShown(page.getByRole('heading', { name: 'Order a mint' }));
    await expectShown(page.getByText('curl -sS'));
    await page.getByRole('radio', { name: 'Python' }).check();
    await expectShown(page.getByText('requests.post('));
    expect(await page.getByText('curl -sS').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await expectShown(page.getByRole('heading', { name: 'Webhooks', level: 1 }));
    await closePage(opened);
  });

  it('shows the entry of a page in the sidebar, and the page from its top', async () => {
    const opened = await openPage(browser, { viewport: { width: 1_440, height: 600 } });
    const { page } = opened;
    await page.goto(`${baseUrl}/docs/reference/get-order-story`);
    await expectShown(page.getByRole('combobox'));
    const entry = await page.locator('#sidebar [aria-current]').boundingBox();
    expect([await page.evaluate('scrollY'), entry?.y]).toEqual([0, expect.toSatisfy((y) => y > 0 && y < 600)]);
    await closePage(opened);
  });

  it("shows the operator's operations apart from those of partners", async () => {
    const html = pages.get('/docs/reference') ?? '';
    const [partners = '', operators = ''] = html.slice(html.indexOf('<main')).split('id="for-operators"');
    expect(partners).toContain('/minting/order');
    expect(partners).not.toContain('/admin/');
    expect(operators).toContain('/admin/metrics');
    const sidebar = html.slice(0, html.indexOf('<main'));
    expect(sidebar.slice(sidebar.indexOf('>Operators<'))).toContain('/docs/reference/get-metrics');
    expect(sidebar.slice(0, sidebar.indexOf('>Operators<'))).not.toContain('/docs/reference/get-metrics');
  });
});

describe('the search', () => {
  it.each([
    ['mint order', 'Order a mint', '/docs/reference/order-mint'],
    ['webhook signature', 'Verifying', '/docs/webhooks#verifying'],
    ['limit_reached', 'limit_reached', '/docs/errors#limit_reached'],
    ['POST /metadata', 'Create a metadata document', '/docs/reference/create-metadata'],
    ['approvls', 'Approvals', '/docs/approvals'],
  ])('finds %s by the keyboard alone', async (query, title, path) => {
    const opened = await openPage(browser, { viewport: { width: 1_440, height: 900 } });
    const { page } = opened;
    await page.goto(`${baseUrl}/docs`);
    await expectShown(page.getByRole('combobox'));
    await page.keyboard.press('/');
    await page.keyboard.type(query);
    const found = page.getByRole('option');
    await expectShown(found.first());
    const titles = await found.locator('span:first-child').allTextContents();
    expect(titles.slice(0, 3)).toContain(title);
    expect(await accessibilityIssues(page)).toEqual([]);
    for (let row = 0; row < titles.indexOf(title); row += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${baseUrl}${path}`);
    await closePage(opened);
  });

  it('is loaded only when somebody searches', async () => {
    const opened = await openPage(browser);
    const { page } = opened;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.goto(`${baseUrl}/docs`);
    await expectShown(page.getByRole('combobox'));
    await page.waitForLoadState('networkidle');
    expect(requested).toEqual(['/docs', '/pages/site/main.css', '/pages/site/main.js']);
    await page.getByRole('combobox').fill('mint');
    await expectShown(page.getByRole('option').first());
    expect(requested.slice(3)).toEqual(['/pages/site/search.json']);
    await closePage(opened);
  });

  it('says that nothing is found, and Escape closes it', async () => {
    const opened = await openPage(browser);
    const { page } = opened;
    await page.goto(`${baseUrl}/docs`);
    await page.getByRole('combobox').fill('qqqqqqqq');
    await expectShown(page.getByText('Nothing found'));
    await page.keyboard.press('Escape');
    await page.getByText('Nothing found').waitFor({ state: 'detached' });
    await closePage(opened);
  });
});

/** Opens the form of an operation's page, with a key. */
async function openForm(path: string, label: string, secret: string) {
  const opened = await openPage(browser, { viewport: { width: 1_440, height: 900 } });
  const { page } = opened;
  await page.goto(baseUrl + path);
  await page.getByText('Try it').click();
  await page.getByLabel(label).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectShown(page.getByRole('button', { name: 'Send' }));
  return opened;
}
const reply = (page: Page) => page.locator('.try-it [role="status"]');

describe('a request from a page', () => {
  let key: string;
  beforeAll(async () => {
    const created = await fetch(`${baseUrl}/keys`, {
      method: 'POST',
      headers: { 'x-admin-secret-key': adminSecret, 'x-corporate-id': corporateId, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Site', scopes: ['read', 'metadata'] }),
    });
    key = ((await created.json()) as { readonly key: string }).key;
  });

  it('has the key of an account, which no storage but that of the tab keeps', async () => {
    const opened = await openForm('/docs/reference/get-limits', 'Key of your account', key);
    const { page } = opened;
    await page.getByRole('button', { name: 'Send' }).click();
    await expectShown(reply(page).getByText('dayEndsAt'));
    expect(await accessibilityIssues(page)).toEqual([]);
    expect(await page.evaluate('[localStorage.length, document.cookie]')).toEqual([0, '']);
    await page.goto(`${baseUrl}/docs/reference/create-metadata`);
    await page.getByText('Try it').click();
    await page.getByRole('button', { name: 'Send' }).click();
    await expectShown(reply(page).getByText('201'));
    await page.getByLabel('Body').fill('{"name": ""}');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectShown(reply(page).getByText('Validation failed'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectShown(page.getByLabel('Key of your account'));
    await closePage(opened);
  });

  it("has the operator's key on the operator's pages", async () => {
    const opened = await openForm('/docs/reference/get-account', 'Admin key', adminSecret);
    const { page } = opened;
    await page.getByLabel('corporateId').fill(corporateId);
    await page.getByRole('button', { name: 'Send' }).click();
    await expectShown(reply(page).getByText('walletAddress'));
    await closePage(opened);
  });

  it('uploads a file', async () => {
    const opened = await openForm('/docs/reference/upload-asset', 'Key of your account', key);
    const { page } = opened;
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
      'base64',
    );
    await page.getByLabel('File').setInputFiles({ name: 'ticket.png', mimeType: 'image/png', buffer: png });
    await page.getByRole('button', { name: 'Send' }).click();
    await expectShown(reply(page).getByText('image/png'));
    await closePage(opened);
  });
});

describe('the metadata schemas', () => {
  it('are tables with an example each', () => {
    const [, ...sections] = (pages.get('/docs/schemas') ?? '').split(/<h2 id="(?=\w+@)/);
    expect(sections.length).toBeGreaterThan(3);
    for (const section of sections) expect(section).toContain('<h3>Example</h3>');
    const ticket = sections.find((section) => section.startsWith('ticket_schema')) ?? '';
    expect(ticket).toContain(
      '<th scope="row">utility.data.event.date</th><td>yes</td><td>number</td><td>Unix time in seconds</td>',
    );
    expect(ticket).toContain('<th scope="row">Event Name</th>');
  });
});
