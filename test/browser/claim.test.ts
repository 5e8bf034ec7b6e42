import { Client as Postgres } from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { zeroAddress, type Address } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { upsertAccount } from '../../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { connectApi, type Resource } from '../../scripts/demo/api.ts';
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
  WIDTHS,
} from './browser.ts';
import { deployCertificates } from './certificates.ts';

const info = inject('info');
const { baseUrl } = info;
const databaseUrl = inject('databaseUrl');
/** Its own account: other files confirm another issuer of the account `demo` at the same time. */
const account = await upsertAccount(
  { name: 'Theatre' },
  { databaseUrl, secrets: secretsSettingsSchema.parse(inject('settings')), environment: 'local' },
);
const { corporateId } = account;
const walletAddress = account.walletAddress as Address;
await fundWallet(walletAddress, Object.values(info.rpcUrls));
const api = connectApi({ ...info, corporateId });
const chainId = '43114';
const HOST = 'https://documents.example';
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 420"><rect width="800" height="420" fill="#2a1d36"/>
<path d="M120 110h560v70a40 40 0 0 0 0 60v70H120v-70a40 40 0 0 0 0-60z" fill="#e8b04b"/><path d="M520 120v180" stroke="#2a1d36" stroke-width="6" stroke-dasharray="10 12"/></svg>`;

let browser: Browser;
let context: BrowserContext;
let page: Page;
let problems: string[];
let tickets: string;
let lastToken = 0;
const database = new Postgres({ connectionString: databaseUrl });

beforeAll(async () => {
  browser = await launchBrowser();
  await database.connect();
  const contract = { chainId, name: 'Opening night', symbol: 'TIX', ercStandard: '721', contractType: 'standard' };
  const { _id } = await api.post('/contracts/deploy', contract);
  tickets = String((await api.result(`/contracts/${String(_id)}`))['contractAddress']);
});
afterAll(async () => {
  await browser.close();
  await database.end();
});
beforeEach(async () => {
  ({ context, page, problems } = await openPage(browser, { locale: 'en-US' }));
  await context.route(`${HOST}/*.svg`, (route) => route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }));
});
afterEach(() => closePage({ context, problems }));

interface Link {
  readonly id: string;
  readonly url: string;
  readonly claim: Resource;
}

async function link(fields: object = {}): Promise<Link> {
  const metadata = await api.post('/metadata', {
    chainId,
    name: 'Row 3, seat 17',
    description: 'Admits one. Doors open at seven.',
    imageUrl: `${HOST}/ticket.svg`,
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  });
  const claim = await api.post('/claims', {
    chainId,
    contractAddress: tickets,
    tokenId: String((lastToken += 1)),
    metadataId: metadata['_id'],
    ...fields,
  });
  return { id: String(claim['id']), url: String(claim['url']), claim };
}

const newAddress = () => privateKeyToAddress(generatePrivateKey());
const button = (name: string | RegExp) => page.getByRole('button', { name });
const heading = (name: string | RegExp) => page.getByRole('heading', { name });

async function typeAddress(address: string): Promise<void> {
  await page.getByLabel(/^Address/).fill(address);
  await button('Use this address').click();
}

/** The address to which a claim's token went. */
async function mintedTo({ id }: Link): Promise<unknown> {
  const order = await api.result(`/minting/${id}`);
  return order['status'] === 'CONFIRMED' ? order['receiverAddress'] : order['status'];
}

/** A script of a wallet that announces itself. */
const announce = (address: string) => `
  const provider = { request: async ({ method }) => method === 'eth_requestAccounts' ? ['${address}'] : [] };
  const detail = { info: { uuid: 'a', name: 'Test <b>wallet</b>', rdns: 'x', icon: 'data:,' }, provider };
  addEventListener('eip6963:requestProvider', () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })));`;

/** WebAuthn needs a domain. */
const onDomain = ({ url }: Link) => url.replace('127.0.0.1', 'localhost');

async function addAuthenticator(hasPrf: boolean): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    ctap2Version: 'ctap2_1',
    transport: 'internal',
    hasResidentKey: true,
  } as const;
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasUserVerification: true, isUserVerified: true, hasPrf },
  });
}

const colour = () => page.evaluate(`getComputedStyle(document.querySelector('.verdict h1')).color`);

describe('the page of a claim', () => {
  it('shows what it is and from whom, and brings the token to an address with one confirmation', async () => {
    const one = await link();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(one.url);
    await expectShown(heading('Issuer unknown'));
    await expectShown(heading('Row 3, seat 17'));
    for (const text of ['Admits one. Doors open at seven.', 'Opening night', 'Nobody has confirmed who issues it.']) {
      await expectShown(page.getByText(text));
    }
    const to = newAddress();
    await typeAddress(to);
    await expectShown(page.getByText(to));
    await button('Claim').click();
    await expectShown(heading('It is there'));
    expect(await mintedTo(one)).toBe(to);
    const transaction = await page.getByRole('link', { name: 'Transaction' }).getAttribute('href');
    expect(transaction).toMatch(/^https:.*\/tx\/0x[0-9a-f]{64}$/);
    await page.reload();
    await expectShown(heading('It is there'));
    expect(asked.some((url) => url.includes(new URL(one.url).hash.slice(1)))).toBe(false);
  });

  it('of a certificate says that it stays, and leads to the check', async () => {
    const contractAddress = await deployCertificates('721', {}, api);
    const document = await api.post('/metadata', certificate);
    const fields = {
      contractAddress,
      tokenId: '7',
      metadataId: document['_id'],
      metadataHash: document['metadataHash'],
    };
    const one = await link({ ...fields, tokenUri: `${baseUrl}/metadata/${contractAddress}/7` });
    await page.goto(one.url);
    await expectShown(page.getByText('can never be transferred'));
    await typeAddress(newAddress());
    await button('Claim').click();
    await page.getByRole('link', { name: 'Check the certificate' }).click();
    await expectShown(heading(/^Unaltered/));
  });

  it('asks for a PIN, and says how often a wrong one may still be tried', async () => {
    const one = await link({ pin: '0420' });
    const to = newAddress();
    await page.goto(one.url);
    await typeAddress(to);
    await page.getByLabel('PIN').fill('0421');
    await button('Claim').click();
    await expectShown(page.getByText('The PIN is wrong. Attempts left: 9.'));
    await page.getByLabel('PIN').fill('0420');
    await button('Claim').click();
    await expectShown(heading('It is there'));
    expect(await mintedTo(one)).toBe(to);
  });

  it('refuses what is no address, a wrong checksum as it is typed, and lets another be chosen', async () => {
    const one = await link();
    await page.goto(one.url);
    await typeAddress('0x12');
    const refusal = page.getByText('This address cannot receive it');
    await expectShown(refusal);
    const address = page.getByLabel(/^Address/);
    await address.fill('0x8ba1f109');
    await refusal.waitFor({ state: 'hidden' });
    await address.fill('0x8ba1f109551bD432803012645Ac136ddd64DBA7a');
    await expectShown(refusal);
    await typeAddress(zeroAddress);
    await button('Claim').click();
    await expectShown(page.getByText('one may be wrong'));
    await button('Choose another address').click();
    await expectShown(page.getByLabel(/^Address/));
    const { rows } = await database.query('select claimed_at from claims where id = $1', [one.id]);
    expect(rows).toEqual([{ claimed_at: null }]);
  });
});

describe('a wallet of the browser', () => {
  it('that announces itself gives the address', async () => {
    const [one, to] = [await link(), newAddress()];
    await context.addInitScript(announce(to));
    await page.goto(one.url);
    await button('Connect Test <b>wallet</b>').click();
    await button('Claim').click();
    await expectShown(heading('It is there'));
    expect(await mintedTo(one)).toBe(to);
  });

  it('of the older kind does too, and may refuse', async () => {
    const [one, to] = [await link(), newAddress()];
    await context.addInitScript(`
      let asked = 0;
      window.ethereum = { request: async () => { if ((asked += 1) === 1) throw new Error('no'); return ['${to}']; } };`);
    await page.goto(one.url);
    await button('Connect Wallet of this browser').click();
    await expectShown(page.getByText('The wallet gave no address.'));
    await button('Connect Wallet of this browser').click();
    await expectShown(page.getByText(to));
  });
});

describe('a passkey', () => {
  it('makes a wallet, whose key is shown, and makes the same one again', async () => {
    const [one, other] = [await link(), await link()];
    await addAuthenticator(true);
    await page.goto(onDomain(one));
    await expectShown(page.getByText('nobody can restore it'));
    await button('Make a wallet').click();
    const receiver = page.locator('.receiver');
    await expectShown(receiver);
    const address = await receiver.innerText();
    expect(await page.locator('.key').count()).toBe(0);
    await button('Show the key').click();
    const key = (await page.locator('.key').innerText()) as `0x${string}`;
    expect(privateKeyToAddress(key)).toBe(address);
    await button('Hide the key').click();
    await button('Claim').click();
    await expectShown(heading('It is there'));
    expect(await mintedTo(one)).toBe(address);
    await page.reload();
    await button('Use one I made here').click();
    await button('Show the key').click();
    expect(await page.locator('.key').innerText()).toBe(key);

    await page.goto(onDomain(other));
    await button('Use one I made here').click();
    expect(await receiver.innerText()).toBe(address);
  });

  it('that a device cannot make keys from gives no wallet', async () => {
    await addAuthenticator(false);
    await page.goto(onDomain(await link()));
    await button('Make a wallet').click();
    await expectShown(page.getByText('No wallet was created'));
  });

  it('is not offered by a browser that cannot', async () => {
    await context.addInitScript(
      `PublicKeyCredential.getClientCapabilities = async () => ({ 'extension:prf': false });`,
    );
    await page.goto(onDomain(await link()));
    await expectShown(page.getByLabel(/^Address/));
    await expectGone(button('Make a wallet'));
  });
});

describe('a link that cannot be used', () => {
  it('is dead without its secret, with another one, and for no claim', async () => {
    const { url } = await link();
    for (const dead of [
      url.replace(/#.*/, ''),
      url.replace(/#.{8}/, '#00000000'),
      `${baseUrl}/claim/nothing#${'0'.repeat(64)}`,
    ]) {
      await page.goto('about:blank');
      await page.goto(dead);
      await expectShown(heading('This link does not work'));
      expect(await page.getByLabel(/^Address/).count()).toBe(0);
    }
  });

  it.each([
    ['that was cancelled', 'Cancelled', ({ id }: Link) => api.post(`/claims/${id}/cancel`, {})],
    [
      'that has expired',
      'Too late',
      ({ id }: Link) => database.query('update claims set expires_at = now() where id = $1', [id]),
    ],
    [
      'with too many wrong PINs',
      'Blocked',
      ({ id }: Link) => database.query('update claims set pin_failures = 10 where id = $1', [id]),
    ],
  ])('%s says so, in a tab that was open before as well', async (_, title, close) => {
    const one = await link();
    await page.goto(one.url);
    await typeAddress(newAddress());
    await close(one);
    await button('Claim').click();
    await expectShown(heading(title));
    await page.reload();
    await expectShown(heading(title));
    await expectShown(heading('Row 3, seat 17'));
    expect(await page.getByLabel(/^Address/).count()).toBe(0);
  });

  it('that was claimed in another tab says for which address', async () => {
    const [one, to] = [await link(), newAddress()];
    const tab = await context.newPage();
    await page.goto(one.url);
    await tab.goto(one.url);
    await typeAddress(newAddress());
    await tab.getByLabel(/^Address/).fill(to);
    await tab.getByRole('button', { name: 'Use this address' }).click();
    await tab.getByRole('button', { name: 'Claim' }).click();
    await expectShown(tab.getByRole('heading', { name: 'It is there' }));
    await button('Claim').click();
    await expectShown(heading('It is there'));
    await expectShown(page.getByRole('link', { name: to }));
    expect(await mintedTo(one)).toBe(to);
  });

  it('whose mint has to wait is read less and less often', async () => {
    const one = await link();
    await page.clock.install();
    let reads = 0;
    await context.route('**/open', async (route) => {
      reads += 1;
      const reply = await route.fetch();
      const json = {
        ...(await reply.json()),
        status: 'CLAIMED',
        orderStatus: 'PENDING',
        receiverAddress: newAddress(),
      };
      await route.fulfill({ response: reply, json });
    });
    await page.goto(one.url);
    await expectShown(heading('On its way'));
    for (let seconds = 0; seconds < 120; seconds += 2) {
      const before = reads;
      await page.clock.runFor(2_000);
      if (reads > before) await page.waitForResponse('**/open', { timeout: 1_000 }).catch(() => undefined);
    }
    expect(reads).toBeGreaterThan(5);
    expect(reads).toBeLessThan(20);
  });

  it('waits for a service that does not answer', async () => {
    const one = await link();
    await context.route('**/open', (route) => route.abort(), { times: 1 });
    await page.goto(one.url);
    await expectShown(heading('The service does not answer'));
    await expectShown(heading('Row 3, seat 17'));
  });
});

describe('an issuer', () => {
  const PROOF = 'https://theatre.example/.well-known/nft-issuer.json';
  const prove = (address: string) =>
    context.route(PROOF, (route) =>
      route.fulfill({ headers: { 'access-control-allow-origin': '*' }, json: { wallets: [{ chainId, address }] } }),
    );
  beforeEach(() =>
    confirmIssuer(
      corporateId,
      { name: 'Theatre <b>Royal</b>', logoUrl: `${HOST}/logo.svg`, domain: 'theatre.example' },
      databaseUrl,
    ),
  );
  afterEach(() => confirmIssuer(corporateId, null, databaseUrl));

  it('that the operator confirms and its domain proves is named, in another colour', async () => {
    const one = await link();
    await prove(walletAddress);
    await page.goto(one.url);
    await expectShown(heading('From Logo of the issuer Theatre <b>Royal</b>'));
    await expectShown(page.getByText('Confirmed by the operator; proven by theatre.example.'));
    const confirmed = await colour();
    await prove(newAddress());
    await page.reload();
    await expectShown(heading('Issuer unknown'));
    await expectShown(page.getByText('could not be read, or does not name the wallet'));
    expect(await page.getByText('Royal').count()).toBe(0);
    expect(await colour()).not.toBe(confirmed);
  });

  it.each(WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
    'and its token have nothing that axe finds at %i pixels, %s, and do not scroll sideways',
    async (width, theme) => {
      await context.addInitScript(`window.ethereum = { request: async () => [] };`);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      const check = async (name: string) => {
        expect(await accessibilityIssues(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await screenshot(page, `${name}-${width}-${theme}`);
      };
      const one = await link({ pin: '0420' });
      await prove(walletAddress);
      await page.goto(one.url);
      await expectShown(heading(/^From/));
      await page.evaluate(`document.querySelector('.picture img').decode()`);
      await check('claim');
      await typeAddress(newAddress());
      await expectShown(page.getByLabel('PIN'));
      await check('claim-confirm');
      await page.getByLabel('PIN').fill('0420');
      await button('Claim').click();
      await expectShown(heading('It is there'));
      await check('claim-done');
      await prove(newAddress());
      await page.goto('about:blank');
      await page.goto((await link()).url);
      await expectShown(heading('Issuer unknown'));
      await check('claim-unknown');
    },
  );
});

it('the page speaks Korean, and keeps what its visitor chooses', async () => {
  const korean = await openPage(browser, { locale: 'ko-KR' });
  await korean.page.goto((await link()).url);
  await expectShown(korean.page.getByRole('heading', { name: '발급자 미확인' }));
  await korean.page.getByRole('button', { name: 'English' }).click();
  await expectShown(korean.page.getByRole('heading', { name: 'Issuer unknown' }));
  await korean.page.reload();
  await expectShown(korean.page.getByRole('heading', { name: 'Issuer unknown' }));
  await korean.context.close();
});

it('the page runs under a policy that allows no script but its own, and its parts can be touched', async () => {
  const one = await link();
  const policy = (await fetch(one.url)).headers.get('content-security-policy');
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' https:; .*frame-ancestors 'none'$/,
  );
  const phone = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  const tab = await phone.newPage();
  await tab.goto(one.url);
  await expectShown(tab.getByRole('button', { name: 'Use this address' }));
  const heights = await tab
    .locator('button:visible, input:visible')
    .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().height));
  expect(heights.length).toBeGreaterThan(2);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  await phone.close();
});

const certificate = {
  chainId,
  name: 'Diver No. 7 of 50',
  imageUrl: `${HOST}/watch.svg`,
  attributes: [
    { traitType: 'Type', value: 'Authenticity' },
    { traitType: 'Serial Number', value: 'HD-2026-0007' },
    { traitType: 'Style Name', value: 'Diver' },
    { traitType: 'Issuer (Mint by)', value: 'Horologe' },
    { traitType: 'Creator', value: 'A. Maker' },
    { traitType: 'Issue Date', value: 1_767_225_600 },
    { traitType: 'Transferability', value: 'Non-Transferable (SBT)' },
  ],
  utility: { type: 'Certificate', data: { valid_until: 2_000_000_000 } },
};
