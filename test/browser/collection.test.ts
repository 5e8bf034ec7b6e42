import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { connectApi, type Resource } from '../../scripts/demo/api.ts';
import {
  accessibilityIssues,
  expectGone,
  expectShown,
  launchBrowser,
  openPage,
  screenshot,
  THEMES,
  WIDTHS,
} from './browser.ts';
import { deployCertificates, issueCertificate } from './certificates.ts';

const info = inject('info');
const { baseUrl, walletAddress, corporateId, apiKey } = info;
const databaseUrl = inject('databaseUrl');
const api = connectApi(info);
/** Another site, which hosts pictures. */
const HOST = 'https://pictures.example';
const CORS = { 'access-control-allow-origin': '*' };
const HOROLOGE = { name: 'Horologe <b>Ltd</b>', logoUrl: `${HOST}/logo.svg`, domain: 'horologe.example' };
const PROOF = 'https://horologe.example/.well-known/nft-issuer.json';

const picture = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400"><rect width="800" height="400" fill="${colour}"/><circle cx="400" cy="200" r="120" fill="#f2e6d0"/></svg>`;

/** A contract with its collection's page. */
interface Deployed {
  readonly contractAddress: string;
  readonly id: string;
  readonly path: string;
}

async function deploy(): Promise<Deployed> {
  const fields = { chainId: '43114', name: 'On chain', symbol: 'OC', ercStandard: '721', contractType: 'standard' };
  const { _id } = await api.post('/contracts/deploy', fields);
  const { contractAddress } = await api.result(`/contracts/${String(_id)}`);
  return {
    contractAddress: String(contractAddress),
    id: String(_id),
    path: `/collection/43114/${String(contractAddress)}`,
  };
}

async function describeCollection({ id }: Deployed, content: object): Promise<void> {
  const reply = await fetch(`${baseUrl}/contracts/${id}/metadata`, {
    method: 'PUT',
    headers: { 'x-api-key': apiKey, 'x-corporate-id': corporateId, 'content-type': 'application/json' },
    body: JSON.stringify(content),
  });
  if (!reply.ok) throw new Error(await reply.text());
}

async function mint({ contractAddress }: Deployed, tokenId: string, fields: object = {}): Promise<Resource> {
  const { _id } = await api.post('/metadata', {
    chainId: '43114',
    name: `Seat ${tokenId}`,
    imageUrl: `${HOST}/seat.svg`,
    utility: { type: 'Flexible', data: { status: 'Unused' } },
    ...fields,
  });
  const order = { chainId: '43114', contractAddress, receiverAddress: walletAddress, tokenId, metadataId: _id };
  const { id } = await api.post('/minting/order', order);
  return await api.result(`/minting/${String(id)}`);
}

let browser: Browser;
let context: BrowserContext;
let page: Page;
let problems: string[];
/** With 14 tokens. */
let nights: Deployed;

beforeAll(async () => {
  browser = await launchBrowser();
  nights = await deploy();
  await describeCollection(nights, {
    name: 'Opening nights',
    symbol: 'TIX',
    description: 'Tickets of the season.\nOne seat each.',
    imageUrl: `${HOST}/logo.svg`,
    bannerImageUrl: `${HOST}/banner.svg`,
    externalUrl: 'https://nights.example/season',
  });
  for (let id = 1; id <= 14; id += 1) await mint(nights, String(id));
});
afterAll(() => browser.close());
beforeEach(async () => {
  ({ context, page, problems } = await openPage(browser));
  const serve = (name: string, body: string) =>
    context.route(`${HOST}/${name}.svg`, (route) => route.fulfill({ contentType: 'image/svg+xml', body }));
  await serve('logo', picture('#7a2f3b'));
  await serve('banner', picture('#1d2b36'));
  await serve('seat', picture('#16313f'));
});
afterEach(() => context.close());

const open = async (path: string) => {
  await page.goto(`${baseUrl}${path}`);
  await page
    .getByRole('heading', { name: 'Issuer unknown' })
    .or(page.getByRole('heading', { name: 'Issued by' }))
    .waitFor();
};
const tiles = () => page.locator('.tokens > li');

describe("a collection's page", () => {
  it('shows what the collection says, the contract, how many tokens there are and the newest, more on request', async () => {
    await open(nights.path);
    expect(await page.title()).toBe('Opening nights · Collection');
    const about = page.locator('.collection');
    expect(await about.innerText()).toMatch(/Opening nights\s+TIX[^]*Tickets of the season\.\nOne seat each\./);
    expect(await about.innerText()).toMatch(
      /Avalanche[^]*ERC-721, tokens that can be transferred[^]*Tokens minted\s+14/,
    );
    expect(await about.getByRole('link', { name: 'nights.example' }).getAttribute('href')).toBe(
      'https://nights.example/season',
    );
    const explorer = await about.getByRole('link', { name: nights.contractAddress }).getAttribute('href');
    expect(explorer).toMatch(new RegExp(`^https://.+/address/${nights.contractAddress}$`));
    await expect.poll(() => tiles().count()).toBe(12);
    expect(await tiles().first().innerText()).toMatch(/Seat 14\s+14/);
    await tiles().first().locator('img').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => tiles().count()).toBe(14);
    expect(await tiles().last().innerText()).toMatch(/Seat 1\s+1/);
    await expectGone(page.getByRole('button', { name: 'Show more' }));
    expect(await page.locator('.tokens a').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('links each certificate to its check', async () => {
    const contractAddress = await deployCertificates('721');
    const { path } = await issueCertificate(contractAddress, '7');
    await open(`/collection/43114/${contractAddress}`);
    await page.locator('.tokens a').click();
    await expect.poll(() => page.url()).toBe(`${baseUrl}${path}?chainId=43114`);
  });

  it('has the name of the contract until the account says more, and no tokens before the first', async () => {
    const empty = await deploy();
    await open(empty.path);
    await page.getByRole('heading', { name: 'On chain' }).waitFor();
    await page.getByText('No token has been minted yet.').waitFor();
    expect(await page.locator('.collection img').count()).toBe(0);
  });

  it('says who issues it as the certificate check does: unknown, confirmed and proven, or not proven', async () => {
    await open(nights.path);
    const card = page.locator('.result');
    expect(await card.innerText()).toContain('Nobody has confirmed whose wallet it is.');
    expect(await card.innerText()).toContain(walletAddress.toLowerCase());
    const colour = () => page.evaluate(`getComputedStyle(document.querySelector('.verdict h2')).color`);
    const unknown = await colour();
    await confirmIssuer(corporateId, HOROLOGE, databaseUrl);
    try {
      await open(nights.path);
      expect(await card.innerText()).toMatch(/^Issuer unknown[^]*horologe\.example as the issuer’s domain/);
      expect(await colour()).toBe(unknown);
      const wallets = [{ chainId: '43114', address: walletAddress }];
      await context.route(PROOF, (route) => route.fulfill({ headers: CORS, json: { wallets } }));
      await open(nights.path);
      expect(await card.innerText()).toMatch(/^Issued by\s+Horologe <b>Ltd<\/b>[^]*proven by horologe\.example/);
      expect(await colour()).not.toBe(unknown);
    } finally {
      await confirmIssuer(corporateId, null, databaseUrl);
    }
    expect(problems).toEqual([]);
  });

  it('runs and links nothing that a hostile collection or token contains', async () => {
    const attack = '<img src=x onerror=alert(1)><script>alert(1)</script>';
    const hostile = await deploy();
    await describeCollection(hostile, {
      name: attack,
      description: attack.repeat(100),
      imageUrl: 'http://pictures.example/a.png',
      bannerImageUrl: 'ar://x/y',
      externalUrl: 'http://nights.example/',
    });
    await mint(hostile, '1', { name: attack });
    await context.route(`${baseUrl}/metadata/${hostile.contractAddress}/1`, (route) =>
      route.fulfill({ json: { name: { a: [attack] }, image: 'javascript:alert(1)', attributes: 7 } }),
    );
    await open(hostile.path);
    await expect.poll(() => tiles().count()).toBe(1);
    expect(await page.locator('main script, main img').count()).toBe(0);
    const targets = await page.locator('main a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(targets.filter((target) => target?.startsWith('https://') !== true)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('leaves out tokens that were burned, shows those whose document cannot be read by number, and says what it cannot read', async () => {
    const document = (id: number, status: number) =>
      context.route(`${baseUrl}/metadata/${nights.contractAddress}/${id}`, (route) =>
        route.fulfill({ status, json: {} }),
      );
    await document(14, 404);
    await document(13, 500);
    await open(nights.path);
    await expect.poll(() => tiles().count()).toBe(11);
    expect(await tiles().first().innerText()).toMatch(/Token 13\s+13/);
    await context.route(`${baseUrl}/collections/**/tokens`, (route) => route.fulfill({ status: 503, json: {} }));
    await open(nights.path);
    await page.getByText('The tokens cannot be read now.').waitFor();
    await context.unroute(`${baseUrl}/collections/**/tokens`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => tiles().count()).toBe(11);
    await context.route(`${baseUrl}/collections/**`, (route) => route.abort());
    await page.goto(baseUrl + nights.path);
    await page.getByText('The collection cannot be read now.').waitFor();
    await context.unroute(`${baseUrl}/collections/**`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Opening nights' }).waitFor();
  });

  it('says that there are more than 10,000 tokens', async () => {
    await context.route(`${baseUrl}/collections/43114/${nights.contractAddress}`, async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ json: { ...((await reply.json()) as object), tokenCount: 10_000, hasMoreTokens: true } });
    });
    await open(nights.path);
    await expectShown(page.getByText('more than 10,000'));
  });

  it.each(['/collection', '/collection/43114', '/collection/x/0x1', `/collection/43114/${'0x'.padEnd(41, '1')}`])(
    'is a page with status 404 at %s, and JSON for programs',
    async (path) => {
      const reply = await page.goto(baseUrl + path);
      expect([reply?.status(), reply?.headers()['content-type']]).toEqual([404, expect.stringContaining('text/html')]);
      await page.getByText('There is no collection at this address').waitFor();
      expect(problems).toEqual([]);
      const toProgram = await fetch(baseUrl + path);
      expect([toProgram.status, toProgram.headers.get('content-type')]).toEqual([404, 'application/json']);
    },
  );

  it('says that there is no collection at an address, or that it does not know the chain', async () => {
    await page.goto(`${baseUrl}/collection/43113/${nights.contractAddress}`);
    await expectShown(page.getByText('This service has no collection at this address on this chain.'));
    await page.goto(`${baseUrl}/collection/5/${nights.contractAddress}`);
    await expectShown(page.getByText('This page does not know the chain 5.'));
  });

  it('speaks Korean to browsers that do, and whichever language the visitor chooses', async () => {
    const korean = await browser.newContext({ locale: 'ko-KR' });
    const tab = await korean.newPage();
    await tab.goto(baseUrl + nights.path);
    await tab.getByRole('heading', { name: '발급자 미확인' }).waitFor();
    await tab.getByRole('button', { name: '더 보기' }).waitFor();
    expect(await tab.evaluate('[document.documentElement.lang, document.title]')).toEqual([
      'ko',
      'Opening nights · 컬렉션',
    ]);
    expect((await tab.locator('main').innerText()).match(/Issue|Newest|Show|minted|Standard|Chain/g)).toBeNull();
    await tab.getByRole('button', { name: 'English' }).click();
    await tab.getByRole('heading', { name: 'Issuer unknown' }).waitFor();
    await korean.close();
  });

  it('allows connections by https alone, apart from a local stack, and no script but its own', async () => {
    const policy = (await fetch(`${baseUrl}${nights.path}`)).headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/script-src 'sha256-[\w+/=]+';/);
    expect(policy).not.toContain('unsafe');
    expect((await (await fetch(`${baseUrl}${nights.path}`)).text()).length).toBeLessThan(100_000);
  });

  it.each(WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
    'has nothing that axe finds at %i pixels, %s, and does not scroll sideways',
    async (width, theme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await open(nights.path);
      await expect.poll(() => tiles().count()).toBe(12);
      expect(await accessibilityIssues(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(page, `collection-${width}-${theme}`);
    },
  );
});
