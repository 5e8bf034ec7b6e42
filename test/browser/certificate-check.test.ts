import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import { concat, encodeDeployData, encodeFunctionData, getAddress, getContractAddress, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { create2Call, DEPLOYMENT_PROXY } from '../../src/catalog/contracts/create2.ts';
import { accessibilityIssues, launchBrowser, openPage, screenshot, THEMES, WIDTHS } from './browser.ts';
import {
  chainRpc,
  deployCertificates,
  deployForwarder,
  issueCertificate,
  revokeCertificate,
  transferOwnership,
  type Issued,
} from './certificates.ts';

const { baseUrl, rpcUrls, walletAddress, corporateId } = inject('info');
const databaseUrl = inject('databaseUrl');
const mainnetRpc = rpcUrls['43114'] ?? '';
/** Another site, which hosts documents and pictures; the tests say what it serves. */
const HOST = 'https://documents.example';

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 420"><rect width="800" height="420" fill="#1d2b36"/>
<circle cx="400" cy="210" r="150" fill="#0d1519" stroke="#b9864a" stroke-width="22"/><circle cx="400" cy="210" r="112" fill="#16313f"/>
<path d="M400 210V128M400 210l58 40" stroke="#f2e6d0" stroke-width="10" stroke-linecap="round"/><circle cx="400" cy="210" r="9" fill="#f2e6d0"/></svg>`;

let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the browser reported as wrong: scripts that failed, and whatever the policy refused. */
let problems: string[];
let single: string;
let units: string;
let genuine: Issued;
let nextToken = 100;

beforeAll(async () => {
  browser = await launchBrowser();
  [single, units] = await Promise.all([deployCertificates('721'), deployCertificates('1155')]);
  genuine = await issueCertificate(single, '1');
});
afterAll(() => browser.close());
beforeEach(async () => {
  ({ context, page, problems } = await openPage(browser, { acceptDownloads: true }));
  await context.route(`${HOST}/**`, (route) => route.fulfill({ status: 404, headers: CORS }));
  await context.route(`${HOST}/watch.svg`, (route) => route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }));
  page.on('dialog', (dialog) => {
    problems.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
});
afterEach(() => context.close());

/** The verdict on a certificate whose issuer nobody has confirmed. */
const UNALTERED = /^Unaltered\. Issuer unknown/;

const word = (value: number) => value.toString(16).padStart(64, '0');

const CORS = { 'access-control-allow-origin': '*' };

/** Issues a certificate whose document another site hosts. */
async function issueElsewhere(contractAddress: string, metadata: object = {}): Promise<Issued & { uri: string }> {
  const tokenId = String((nextToken += 1));
  const uri = `${HOST}/${tokenId}.json`;
  return {
    ...(await issueCertificate(contractAddress, tokenId, {
      tokenUri: uri,
      metadata,
      ...(contractAddress === units ? { amount: 3 } : {}),
    })),
    uri,
  };
}

const serve = (url: string, body: string | Buffer, more: Parameters<Route['fulfill']>[0] = {}) =>
  context.route(url, (route) => route.fulfill({ contentType: 'application/json', headers: CORS, body, ...more }));

const ISSUER_OF = '0xa4e2ee11';

/** Answers the calls of one function instead of the chain's node. */
const answerCalls = (selector: string, reply: object) =>
  context.route(mainnetRpc, async (route) => {
    const { params } = route.request().postDataJSON() as { params: { data?: string }[] };
    if (params[0]?.data?.startsWith(selector) !== true) return await route.fallback();
    await route.fulfill({ headers: CORS, json: { jsonrpc: '2.0', id: 1, ...reply } });
  });

const issuerPath = (contract: string) => `/issuers/43114/${contract}/${walletAddress.toLowerCase()}`;

const deploymentPath = (contract: string, chainId = '43114') => `/deployments/${chainId}/${contract}`;

/** The verdict on what a contract says whose code is not known. */
const UNVERIFIED = /^Unknown contract\. Proves nothing/;

const dayOf = (date: Date) => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(date);

/** The hash of the genuine certificate. */
const hashOnChain = async () =>
  (await chainRpc('43114', 'eth_call', [{ to: single, data: `0xf448f871${word(1)}` }, 'latest'])) as Hex;

/** Opens a check and waits for its end. @returns the verdict's text. */
async function verdictOf(path: string): Promise<string> {
  await page.goto(path.startsWith('file:') ? path : `${baseUrl}${path}`);
  return await settled();
}

async function settled(): Promise<string> {
  const verdict = page.getByRole('status');
  await verdict.getByRole('heading').filter({ hasNotText: 'Checking' }).waitFor();
  return await verdict.innerText();
}

describe('the certificate check', () => {
  it('finds a certificate unaltered and shows each step, the document and the holder', async () => {
    expect(await verdictOf(genuine.path)).toMatch(UNALTERED);
    const steps = await page.locator('.steps').innerText();
    const hashes = new Set(steps.match(/0x[0-9a-f]{64}/g));
    expect(hashes.size).toBe(1);
    expect(steps).toContain(`${baseUrl}/metadata/${single}/1`);
    await page.getByText('HD-2026-0007', { exact: true }).first().waitFor();
    await page.getByText(genuine.holder.toLowerCase()).waitFor();
    await page.getByText('January 1, 2026').waitFor();
    expect(problems).toEqual([]);
  });

  it('asks the chain and the document alone: this service is asked for nothing but the page, the document, the issuer and the deployment', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await verdictOf(genuine.path);
    const ofService = asked.filter((url) => url.startsWith(baseUrl)).map((url) => url.slice(baseUrl.length));
    expect(new Set(ofService)).toEqual(
      new Set([
        genuine.path,
        `/metadata/${single}/1`,
        issuerPath(single),
        deploymentPath(single),
        deploymentPath(single, '43113'),
      ]),
    );
    expect(asked.filter((url) => new URL(url).origin === new URL(mainnetRpc).origin).length).toBeGreaterThan(2);
  });

  it.each(['721', '1155'])('finds an ERC-%s certificate altered when one character is', async (standard) => {
    const issued = await issueElsewhere(standard === '721' ? single : units);
    const text = JSON.stringify(issued.document, null, 2);
    await serve(issued.uri, text);
    expect(await verdictOf(issued.path)).toMatch(UNALTERED);
    await serve(issued.uri, text.replace('HD-2026-0007', 'HD-2026-0008'));
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('heading', { name: 'Altered', exact: true }).waitFor();
    expect(await page.locator('.picture').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each<[string, (text: string) => string, string]>([
    ['gives a forged name beside the real one', (text) => text.replace('{', '{"name":"Forged",'), 'twice'],
    ['has a digit more than a browser reads', (text) => text.replace('1767225600', '1767225600.00000001'), 'exactly'],
  ])('does not find a document unaltered that %s', async (_, forged, reason) => {
    const issued = await issueElsewhere(single);
    await serve(issued.uri, forged(JSON.stringify(issued.document)));
    expect(await verdictOf(issued.path)).toMatch(new RegExp(`^Cannot tell[^]*${reason}`));
  });

  it('says that there is no certificate if none was issued, if it was burned, or if there is no such contract', async () => {
    expect(await verdictOf(`/verify/${single}/999`)).toMatch(/^No such certificate/);
    expect(await verdictOf(`/verify/0x${'12'.repeat(20)}/1`)).toMatch(/^No such certificate[^]*no contract/);
    const burned = await issueCertificate(single, '2');
    await chainRpc('43114', 'anvil_impersonateAccount', [burned.holder]);
    await chainRpc('43114', 'anvil_setBalance', [burned.holder, '0xde0b6b3a7640000']);
    const data = `0x42966c68${'2'.padStart(64, '0')}`;
    await chainRpc('43114', 'eth_sendTransaction', [{ from: burned.holder, to: single, data }]);
    expect(await verdictOf(burned.path)).toMatch(/^No such certificate/);
  });

  it('says that a certificate was revoked, when and by whom, and that the next holder has it if it is issued again', async () => {
    const revocable = await deployCertificates('721', { burnAuth: 'both' });
    const certificate = await issueCertificate(revocable, '1');
    expect(await verdictOf(certificate.path)).toMatch(UNALTERED);
    const issuer = await revokeCertificate(certificate);
    const block = (await chainRpc('43114', 'eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
    const day = dayOf(new Date(Number(block.timestamp) * 1_000));
    expect(await verdictOf(certificate.path)).toMatch(new RegExp(`^Revoked[^]*${day}[^]*${issuer}`, 'i'));
    const result = page.locator('.result');
    expect(await result.innerText()).toMatch(/Reported stolen[^]*Diver No. 7 of 50[^]*HD-2026-0007/);
    await result.getByRole('img', { name: 'picture' }).waitFor();
    expect(problems).toEqual([]);
    await issueCertificate(revocable, '1');
    expect(await verdictOf(certificate.path)).toMatch(UNALTERED);
  });

  it('does not say that units were revoked which their holder has burned', async () => {
    const both = await deployCertificates('1155', { burnAuth: 'both' });
    const certificate = await issueCertificate(both, '1', { amount: 2 });
    const issuer = await revokeCertificate(certificate, { amount: 1 });
    expect(await verdictOf(certificate.path)).toMatch(UNALTERED);
    const { holder } = certificate;
    await chainRpc('43114', 'anvil_impersonateAccount', [holder]);
    await chainRpc('43114', 'anvil_setBalance', [holder, '0xde0b6b3a7640000']);
    const data = encodeFunctionData({
      abi: certificate1155.abi,
      functionName: 'burn',
      args: [getAddress(holder), 1n, 1n],
    });
    await chainRpc('43114', 'eth_sendTransaction', [{ from: holder, to: both, data }]);
    const verdict = await verdictOf(certificate.path);
    expect(verdict).toMatch(/^No longer valid[^]*holders have given up any others[^]*Units last revoked on/);
    expect(verdict.toLowerCase()).toContain(issuer.toLowerCase());
    expect(await accessibilityIssues(page)).toEqual([]);
  });

  it.each<[string, (uri: string) => Promise<unknown>, string]>([
    ['is not there', (uri) => serve(uri, '', { status: 404 }), 'status 404'],
    [
      'is a web page',
      (uri) => serve(uri, '<!doctype html><title>Genuine</title>', { contentType: 'text/html' }),
      'not JSON',
    ],
    ['never ends', (uri) => serve(uri, `"${'a'.repeat(2_000_000)}"`), 'longer than'],
    ['is not UTF-8', (uri) => serve(uri, Buffer.from([0x22, 0xff, 0x22])), 'UTF-8'],
    ['is nested without end', (uri) => serve(uri, '['.repeat(500_000)), 'not JSON'],
    [
      'cannot be read by other sites',
      (uri) => serve(uri, '{}', { headers: { 'access-control-allow-origin': 'https://other.example' } }),
      'cannot be reached',
    ],
    [
      'redirects to nowhere',
      (uri) => serve(uri, '', { status: 302, headers: { ...CORS, location: 'ftp://x/' } }),
      'document cannot be read',
    ],
  ])('cannot tell when the document %s', async (_, prepare, reason) => {
    const issued = await issueElsewhere(single);
    await prepare(issued.uri);
    const verdict = await verdictOf(issued.path);
    expect(verdict).toMatch(/^Cannot tell/);
    expect(verdict).toContain(reason);
  });

  it.each(['ftp://documents.example/1', 'javascript:alert(1)', 'documents/1.json', 'blob:https://documents.example/1'])(
    'cannot tell when the document is at %s',
    async (tokenUri) => {
      const tokenId = String((nextToken += 1));
      // The service refuses such a URI; any other minter of a contract of this kind may not.
      const issued = await issueCertificate(single, tokenId);
      const text = Buffer.from(tokenUri).toString('hex');
      const result = `0x${word(32)}${word(tokenUri.length)}${text.padEnd(Math.ceil(text.length / 64) * 64, '0')}`;
      await answerCalls('0xc87b56dd', { result });
      expect(await verdictOf(issued.path)).toMatch(/^Cannot tell[^]*browser can fetch/);
      expect(problems).toEqual([]);
    },
  );

  it.each<[string, (route: Route) => Promise<void>, string]>([
    ['is down', (route) => route.abort(), 'cannot be reached'],
    ['answers with an error', (route) => route.fulfill({ status: 503, headers: CORS }), 'status 503'],
    ['answers with a web page', (route) => route.fulfill({ headers: CORS, body: '<html>' }), 'malformed'],
    ['answers without end', (route) => route.fulfill({ headers: CORS, body: ' '.repeat(2_000_000) }), 'longer than'],
    ['is one of another chain', (route) => route.fulfill({ headers: CORS, json: { result: '0x1' } }), 'another chain'],
    ['answers with an object', (route) => route.fulfill({ headers: CORS, json: { result: {} } }), 'malformed'],
  ])('cannot tell when the node %s', async (_, answer, reason) => {
    await context.route(`${mainnetRpc}/**`, answer);
    await context.route(mainnetRpc, answer);
    const verdict = await verdictOf(`${genuine.path}?chainId=43114`);
    expect(verdict).toMatch(/^Cannot tell/);
    expect(verdict).toContain(reason);
  });

  it('asks the chain on which this service knows the contract, or else all of them, and only the one that is named', async () => {
    const testnetRpc = rpcUrls['43113'] ?? '';
    await context.route(testnetRpc, (route) => route.abort());
    expect(await verdictOf(genuine.path)).toMatch(UNALTERED);
    expect(await verdictOf(`/verify/0x${'12'.repeat(20)}/1`)).toMatch(/^Cannot tell/);
    expect(await verdictOf(`/verify/0x${'12'.repeat(20)}/1?chainId=43114`)).toMatch(/^No such certificate/);
  });

  it('is not misled by the same contract on a test chain, where anyone can send its creation call', async () => {
    const both = await deployCertificates('721');
    const issued = await issueCertificate(both, '1');
    const { creation } = (await (await fetch(baseUrl + deploymentPath(both))).json()) as { creation: Hex };
    const stranger = privateKeyToAccount(generatePrivateKey()).address;
    await chainRpc('43113', 'anvil_setBalance', [stranger, '0xde0b6b3a7640000']);
    await chainRpc('43113', 'anvil_impersonateAccount', [stranger]);
    const sent = { from: stranger, to: DEPLOYMENT_PROXY, data: creation, gas: '0x5b8d80' };
    await chainRpc('43113', 'eth_sendTransaction', [sent]);
    await expect.poll(() => chainRpc('43113', 'eth_getCode', [both, 'latest'])).not.toBe('0x');
    expect(await verdictOf(issued.path)).toMatch(UNALTERED);
    await page.getByRole('button', { name: 'QR code' }).click();
    await page.getByRole('dialog').getByText(`${baseUrl}${issued.path}?chainId=43114`).waitFor();
    // A contract that this service does not know: main chains go first.
    await serve(baseUrl + deploymentPath(both), '', { status: 404 });
    expect(await verdictOf(issued.path)).toMatch(UNVERIFIED);
    expect(await page.locator('.steps').innerText()).toContain('(43114)');
    expect(await verdictOf(`${issued.path}?chainId=43113`)).toMatch(/^No such certificate/);
    expect(await verdictOf(`${issued.path}?chainId=5`)).toMatch(/^Cannot tell/);
  });

  it('asks which chain is meant when several have the address and none says more', async () => {
    const both = await deployCertificates('721');
    const issued = await issueCertificate(both, '1');
    await chainRpc('43113', 'anvil_setCode', [both, '0x60006000fd']);
    await context.route(`${baseUrl}/deployments/**`, (route) => route.fulfill({ status: 404, headers: CORS }));
    // Both are then main chains to the page.
    await context.addInitScript(`{
      const { parse } = JSON;
      JSON.parse = (text) => parse(String(text).replaceAll('"isTest":true', '"isTest":false'));
    }`);
    expect(await verdictOf(issued.path)).toMatch(/^Cannot tell[^]*More than one chain/);
    await page.getByRole('link', { name: 'Check on Avalanche', exact: true }).click();
    expect(await settled()).toMatch(UNVERIFIED);
    expect(page.url()).toContain('chainId=43114');
  });

  it('runs and links nothing that a hostile document contains', async () => {
    const attack = '<img src=x onerror=alert(1)></p><script>alert(1)</script>';
    const issued = await issueElsewhere(single, {
      name: `${attack}\u202Egnp.exe`,
      description: `${attack}\u202Egnp.exe`,
      attributes: [
        ...['Type', 'Serial Number', 'Style Name', 'Issuer (Mint by)', 'Creator'].map((traitType) => ({
          traitType,
          value: attack,
        })),
        { traitType: 'Issue Date', value: 1_767_225_600 },
        { traitType: 'Transferability', value: 'Non-Transferable (SBT)' },
      ],
      utility: { type: 'Certificate', data: { valid_until: null, __proto__x: attack, html: { a: [attack] } } },
    });
    await serve(issued.uri, JSON.stringify(issued.document));
    expect(await verdictOf(issued.path)).toMatch(UNALTERED);
    expect(await page.locator('.certificate script, .certificate img[src="x"]').count()).toBe(0);
    expect(await page.title()).toBe(`${attack}gnp.exe · Certificate check`);
    expect(await page.locator('main').innerText()).not.toContain('\u202E');
    expect(problems).toEqual([]);
    // Altered, with what no certificate of this service can have.
    const hostile = `{"name":{"toString":1},"image":"javascript:alert(1)","external_url":"javascript:alert(1)","animation_url":"data:text/html,x",
      "attributes":[null,1,{"trait_type":{"a":1},"value":null},${'{"trait_type":"t","value":1},'.repeat(5_000)}{}],
      "utility":{"data":{"__proto__":{"a":1},"constructor":"x","valid_until":1e300}},"__proto__":{"polluted":true}}`;
    await serve(issued.uri, hostile);
    expect(await verdictOf(issued.path)).toMatch(/^Altered/);
    const targets = await page
      .locator('.certificate a, .certificate img')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? one.getAttribute('src')));
    expect(targets.filter((target) => target?.startsWith('https://') !== true)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('can be saved as one file, which checks without this service and still falls for no altered copy', async () => {
    await verdictOf(`${genuine.path}?chainId=43114`);
    const [saving] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a file' }).click(),
    ]);
    const file = await saving.path();
    const saved = join(file, '..', 'certificate.html');
    const html = await readFile(file, 'utf8');
    await writeFile(saved, html);
    await context.route(`${baseUrl}/**`, (route) => route.abort());
    expect(await verdictOf(pathToFileURL(saved).href)).toMatch(/^Unaltered[^]*Only this wallet[^]*copy in this file/);
    await page.getByText('HD-2026-0007', { exact: true }).first().waitFor();
    expect(html).toContain('HD-2026-0007');
    await writeFile(saved, html.replaceAll('HD-2026-0007', 'HD-2026-0008'));
    expect(await verdictOf(pathToFileURL(saved).href)).toMatch(/^Altered/);
    expect(problems).toEqual([]);
  });

  it('has a QR code of its URL one click away', async () => {
    await verdictOf(`${genuine.path}?chainId=43114`);
    await page.getByRole('button', { name: 'QR code' }).click();
    const code = page.getByRole('img', { name: /^QR code/ });
    await code.waitFor();
    const [size = 0] = ((await code.getAttribute('viewBox')) ?? '').split(' ').map(Number).slice(2);
    const path = (await code.locator('path').getAttribute('d')) ?? '';
    const scale = 4;
    const width = size * scale;
    const data = new Uint8Array(width * width * 4).fill(255);
    for (const [, x, y] of path.matchAll(/M(\d+) (\d+)/g)) {
      for (let dy = 0; dy < scale; dy += 1) {
        for (let dx = 0; dx < scale; dx += 1)
          data.fill(
            0,
            4 * ((Number(y) * scale + dy) * width + Number(x) * scale + dx),
            4 * ((Number(y) * scale + dy) * width + Number(x) * scale + dx) + 3,
          );
      }
    }
    expect(decodeQR({ width, height: width, data })).toBe(`${baseUrl}${genuine.path}?chainId=43114`);
  });

  it('asks for a certificate where none is named, and refuses what is none', async () => {
    await page.goto(`${baseUrl}/verify`);
    await page.getByLabel('Contract, or the link').fill(single);
    await page.getByLabel('Number of the certificate').fill('1');
    await page.getByRole('button', { name: 'Check' }).click();
    expect(await settled()).toMatch(UNALTERED);
  });

  it('takes a pasted link, of whichever service or archive', async () => {
    for (const link of [
      `${baseUrl}${genuine.path}?chainId=43114`,
      ` https://archive.example/certificates/verify/?contract=${single.toUpperCase().replace('0X', '0x')}&token=1&chainId=43114 `,
    ]) {
      await page.goto(`${baseUrl}/verify`);
      await page.getByLabel('Contract, or the link').fill(link);
      await page.getByRole('button', { name: 'Check' }).click();
      expect(await settled()).toMatch(UNALTERED);
      expect(page.url()).toBe(`${baseUrl}${genuine.path}?chainId=43114`);
    }
    await page.goto(`${baseUrl}/verify`);
    expect(await page.locator('main').innerText()).not.toContain('not even this site');
    await page.getByLabel('Contract, or the link').fill('https://documents.example/1');
    await page.getByLabel('Number of the certificate').fill('1');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('or the whole link of a certificate').waitFor();
  });

  it.each(['/verify/notanaddress/1', `/verify/0x${'12'.repeat(20)}/x`, '/verify/a/b/c'])(
    'is a page with status 404 at %s, and JSON for programs',
    async (path) => {
      const reply = await page.goto(baseUrl + path);
      expect([reply?.status(), reply?.headers()['content-type']]).toEqual([404, expect.stringContaining('text/html')]);
      await page.getByText('There is no certificate at this address').waitFor();
      await page.getByRole('button', { name: 'Check' }).waitFor();
      expect(problems).toEqual([]);
      const toProgram = await fetch(baseUrl + path);
      expect([toProgram.status, toProgram.headers.get('content-type')]).toEqual([404, 'application/json']);
    },
  );

  it('names the wallet that issued, whoever owns the contract now', async () => {
    const contract = await deployCertificates('721');
    const issued = await issueCertificate(contract, '1');
    await transferOwnership(contract, `0x${'ab'.repeat(20)}`);
    const verdict = await verdictOf(issued.path);
    expect(verdict).toMatch(UNALTERED);
    expect(verdict).toContain(`${walletAddress.toLowerCase()}. Only this wallet can have`);
    expect(await page.locator('body').innerText()).not.toContain('ab'.repeat(20));
  });

  it('names the published code of the contract and of the forwarder it trusts', async () => {
    const trustedForwarder = await deployForwarder();
    const issued = await issueCertificate(await deployCertificates('1155', { trustedForwarder }), '1', { amount: 2 });
    const verdict = await verdictOf(issued.path);
    expect(verdict).toContain('Only this wallet can have written the document: the contract has published code.');
    expect(verdict).not.toContain('not known to have published code');
    expect(await page.locator('.steps').innerText()).toContain('Certificate1155, MinimalForwarder');
    expect(await page.locator('main').innerText()).not.toContain('All this holds only if');
    expect(problems).toEqual([]);
  });

  it('does not take a forged issuer for the real one, whatever this service or a link says about the deployment', async () => {
    const forger = privateKeyToAccount(generatePrivateKey()).address;
    await chainRpc('43114', 'anvil_setBalance', [forger, '0xde0b6b3a7640000']);
    const send = async (to: string, data: string) => {
      await chainRpc('43114', 'anvil_impersonateAccount', [forger]);
      const hash = String(
        await chainRpc('43114', 'eth_sendTransaction', [{ from: forger, to, data, gas: '0x5b8d80' }]),
      );
      await expect.poll(() => chainRpc('43114', 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
      return hash;
    };
    // The service's own creation code, with the account's wallet as its owner and the forger as its forwarder.
    const salt = `0x${word(7)}` as const;
    const code = encodeDeployData({
      ...certificate721,
      args: ['Horologe', 'CERT', getAddress(walletAddress), forger, '', 0],
    });
    const creation = create2Call(salt, code);
    await send(DEPLOYMENT_PROXY, creation);
    const behindForwarder = getContractAddress({ opcode: 'CREATE2', from: DEPLOYMENT_PROXY, salt, bytecode: code });
    const args = [forger, 1n, `${baseUrl}/metadata/${single}/1`, await hashOnChain()] as const;
    const mint = encodeFunctionData({ abi: certificate721.abi, functionName: 'mint', args });
    await send(behindForwarder, concat([mint, getAddress(walletAddress)]));
    // The code and the certificates of a contract of the account, which no constructor has put there.
    const copy = `0x${'c1'.repeat(20)}`;
    await context.route(mainnetRpc, (route) =>
      route.continue({ postData: (route.request().postData() ?? '').replaceAll(copy, single) }),
    );
    const real = (await (await fetch(baseUrl + deploymentPath(single))).json()) as { creation: Hex };
    const forwarderCreation = create2Call(salt, minimalForwarder.bytecode);
    for (const [contract, hint] of [
      [behindForwarder.toLowerCase(), { creation, forwarderCreation }],
      [behindForwarder.toLowerCase(), { creation, forwarderCreation: null }],
      [behindForwarder.toLowerCase(), real],
      [copy, real],
      [copy, { ...real, creation: `${real.creation}0` }],
      [copy, { creation: '0x' }],
      [copy, []],
    ] as const) {
      await serve(baseUrl + deploymentPath(contract), JSON.stringify(hint));
      const verdict = await verdictOf(`/verify/${contract}/1?chainId=43114`);
      expect(verdict).toMatch(UNVERIFIED);
      expect(verdict).toContain('The contract is not known to have published code.');
      const shown = await page.locator('main').innerText();
      expect(shown).toContain('Anyone can deploy a contract that states this hash');
      // Nothing of it looks like the certificate, and it names no wallet that the issuer may have published.
      expect(shown.toLowerCase()).not.toContain(walletAddress.toLowerCase());
      expect(await page.title()).toBe('Certificate check');
      expect(await page.locator('.result .subject, .picture').count()).toBe(0);
    }
    const look = () =>
      page.evaluate(`[getComputedStyle(document.querySelector('.verdict h1')).color,
        document.querySelector('.verdict > svg path').getAttribute('d')]`) as Promise<string[]>;
    const [colour, sign] = await look();
    expect(await accessibilityIssues(page)).toEqual([]);
    await screenshot(page, 'other-code');
    await verdictOf(genuine.path);
    const genuineLook = await look();
    expect(genuineLook[0]).not.toBe(colour);
    expect(genuineLook[1]).not.toBe(sign);
  });

  it('warns of other code in each verdict that believes the contract, and says so if the code could not be compared', async () => {
    const revocable = await deployCertificates('721', { burnAuth: 'both' });
    const certificate = await issueCertificate(revocable, '1');
    await serve(baseUrl + deploymentPath(revocable), '', { status: 404 });
    await serve(`${baseUrl}/metadata/${revocable}/1`, '{}');
    expect(await verdictOf(certificate.path)).toMatch(/^Altered[^]*not known to have published code/);
    await revokeCertificate(certificate);
    expect(await verdictOf(certificate.path)).toMatch(/^Revoked[^]*not known to have published code/);
    for (const answer of [
      (route: Route) => route.fulfill({ status: 503, headers: CORS }),
      (route: Route) => route.abort(),
    ]) {
      await context.route(baseUrl + deploymentPath(single), answer);
      const verdict = await verdictOf(genuine.path);
      expect(verdict).toMatch(/^Cannot tell[^]*could not be compared with published code\. Check again later/);
      expect(verdict).not.toContain('not known to have');
    }
  });

  it('says so if the chain does not tell who issued', async () => {
    await answerCalls(ISSUER_OF, { error: { code: -32_005, message: 'limit' } });
    expect(await verdictOf(genuine.path)).toMatch(/^Unaltered\. Issuer unknown[^]*did not say which wallet/);
  });

  it('gives no tick and no sign of confirmation to an issuer that nobody has confirmed', async () => {
    await verdictOf(genuine.path);
    expect(await page.locator('.verdict path').getAttribute('d')).not.toBe(
      await page.locator('.steps .done path').first().getAttribute('d'),
    );
  });

  it.each(WIDTHS)(
    'shows verdict, issuer and picture as one card on the first screen, %i pixels wide',
    async (width) => {
      await page.setViewportSize({ width, height: 844 });
      await verdictOf(genuine.path);
      const card = page.locator('.result');
      for (const part of [card.locator('h1'), card.locator('.issuer'), card.getByRole('img', { name: 'picture' })]) {
        await part.waitFor();
        await expect.poll(async () => ((await part.boundingBox())?.height ?? 0) > 10).toBe(true);
        const { y = 0, height = 0 } = (await part.boundingBox()) ?? {};
        expect(y + height).toBeLessThan(844);
      }
    },
  );

  it('has words instead of a picture that cannot be loaded', async () => {
    await context.route(`${HOST}/watch.svg`, (route) => route.abort());
    await verdictOf(genuine.path);
    await page.getByText('The picture cannot be loaded.').waitFor();
    expect(await page.locator('.picture img').count()).toBe(0);
  });

  it('says what each verdict proves, and nothing of what others prove', async () => {
    const proofs = new Set<string>();
    const proof = async (path: string) => {
      await verdictOf(path);
      const text = await page.getByRole('heading', { name: 'What this proves' }).locator('..').innerText();
      proofs.add(text);
      return text;
    };
    expect(await proof(genuine.path)).toContain('nobody has changed it since');
    expect(await proof(`/verify/${single}/999`)).not.toContain('nobody has changed');
    await context.route(`${baseUrl}/metadata/**`, (route) => route.fulfill({ headers: CORS, json: { name: 'Other' } }));
    expect(await proof(genuine.path)).not.toContain('nobody has changed it since');
    expect(await proof(`${genuine.path}?chainId=5`)).not.toContain('nobody has changed');
    expect(proofs.size).toBe(4);
  });

  it('speaks Korean to browsers that do, and whichever language the visitor chooses', async () => {
    const korean = await browser.newContext({ locale: 'ko-KR' });
    const tab = await korean.newPage();
    await tab.goto(baseUrl + genuine.path);
    await tab.getByRole('heading', { name: '변경되지 않음. 발급자 미확인' }).waitFor();
    await tab.getByText('2026년 1월 1일').waitFor();
    expect(await tab.evaluate('[document.documentElement.lang, document.title]')).toEqual([
      'ko',
      'Certificate of authenticity: Diver No. 7 of 50 · 인증서 확인',
    ]);
    const shown = await tab.locator('main').innerText();
    expect(shown.match(/Issued by|How it was|Check again|Held by|Read the/g)).toBeNull();
    await tab.getByRole('button', { name: 'English' }).click();
    await tab.getByRole('heading', { name: 'Unaltered. Issuer unknown' }).waitFor();
    await tab.reload();
    await tab.getByRole('heading', { name: 'Unaltered. Issuer unknown' }).waitFor();
    await korean.close();
  });

  it('has buttons of at least 44 pixels where fingers press them', async () => {
    const phone = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    const tab = await phone.newPage();
    await tab.goto(baseUrl + genuine.path);
    await tab.getByRole('button', { name: 'Save as a file' }).waitFor();
    const heights = await tab
      .locator('button:visible, summary:visible')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(3);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    await phone.close();
  });

  it('allows connections by https alone, apart from a local stack, and no script but its own', async () => {
    const policy = (await fetch(`${baseUrl}${genuine.path}`)).headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/script-src 'sha256-[\w+/=]+';/);
    expect(policy).not.toContain('unsafe');
    const connect = /connect-src ([^;]*)/.exec(policy)?.[1]?.trim().split(' ') ?? [];
    expect(connect.filter((source) => !source.startsWith('http://127.0.0.1:'))).toEqual(['https:', 'data:']);
  });

  it.each(WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
    'has nothing that axe finds at %i pixels, %s, and does not scroll sideways',
    async (width, theme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await verdictOf(genuine.path);
      await page.getByText(genuine.holder.toLowerCase()).waitFor();
      expect(await accessibilityIssues(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(page, `check-${width}-${theme}`);
      await context.route(`${baseUrl}/metadata/**`, (route) =>
        route.fulfill({ headers: CORS, json: { ...genuine.document, name: 'Another watch' } }),
      );
      await verdictOf(genuine.path);
      expect(await accessibilityIssues(page)).toEqual([]);
      await screenshot(page, `altered-${width}-${theme}`);
    },
  );
});

describe('an issuer', () => {
  const HOROLOGE = { name: 'Horologe <b>Ltd</b>', logoUrl: `${HOST}/watch.svg`, domain: 'horologe.example' };
  const PROOF = 'https://horologe.example/.well-known/nft-issuer.json';
  const wallets = (address = walletAddress, chainId = '43114') => JSON.stringify({ wallets: [{ chainId, address }] });

  beforeEach(() => confirmIssuer(corporateId, HOROLOGE, databaseUrl));
  afterEach(() => confirmIssuer(corporateId, null, databaseUrl));

  it('that the operator confirms and its domain proves has a tick, its name as text and another colour', async () => {
    await serve(PROOF, wallets());
    const verdict = await verdictOf(genuine.path);
    expect(verdict).toMatch(/^Unaltered\. Issued by\s+Horologe <b>Ltd<\/b>/);
    expect(verdict).toContain('Confirmed by the operator; proven by horologe.example.');
    expect(verdict).toContain(walletAddress.toLowerCase());
    expect(await page.locator('.verdict > svg path').getAttribute('d')).toBe(
      await page.locator('.steps .done path').first().getAttribute('d'),
    );
    const colour = () => page.evaluate(`getComputedStyle(document.querySelector('.verdict h1')).color`);
    const confirmed = await colour();
    expect(problems).toEqual([]);
    await serve(PROOF, wallets(`0x${'ab'.repeat(20)}`));
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('heading', { name: 'Issuer unknown' }).waitFor();
    expect(await colour()).not.toBe(confirmed);
  });

  it.each<[string, string, Parameters<Route['fulfill']>[0]]>([
    ['is not there', '', { status: 404 }],
    ['names another wallet', wallets(`0x${'ab'.repeat(20)}`), {}],
    ['names the wallet on another chain', wallets(walletAddress, '1'), {}],
    ['is of another form', JSON.stringify([walletAddress]), {}],
    ['is no JSON', '<html>', {}],
    ['leads to another domain', '', { status: 302, headers: { ...CORS, location: `${HOST}/proof.json` } }],
    [
      'may not be read by other sites',
      wallets(),
      { headers: { 'access-control-allow-origin': 'https://other.example' } },
    ],
  ])('stays unknown and has no name if the proof %s', async (_, body, more) => {
    await serve(PROOF, body, more);
    await serve(`${HOST}/proof.json`, wallets());
    const verdict = await verdictOf(genuine.path);
    expect(verdict).toMatch(UNALTERED);
    expect(verdict).toMatch(/operator names horologe\.example[^]*could not be read, or does not name this wallet/);
    expect(await page.locator('body').innerText()).not.toContain('Ltd');
    expect(await page.locator('.issuer-name').count()).toBe(0);
  });

  it('is not taken for the one of a contract that is not its own, though that contract names its wallet', async () => {
    const copy = `0x${'c0'.repeat(20)}`;
    await serve(PROOF, wallets());
    // Not even if this service says so.
    await serve(`${baseUrl}${issuerPath(copy)}`, JSON.stringify(HOROLOGE));
    await context.route(mainnetRpc, (route) =>
      route.continue({ postData: (route.request().postData() ?? '').replaceAll(copy, single) }),
    );
    expect(await verdictOf(`/verify/${copy}/1?chainId=43114`)).toMatch(UNVERIFIED);
    expect(await page.locator('body').innerText()).not.toContain('Ltd');
  });

  it.each([
    ['a name of any length', { name: 'A'.repeat(101) }],
    ['a logo on http', { logoUrl: 'http://horologe.example/logo.svg' }],
    ['a script for a logo', { logoUrl: 'javascript:alert(1)' }],
    ['a path for a domain', { domain: 'horologe.example/evil#' }],
    ['another host for a domain', { domain: 'horologe.example@evil.example' }],
  ])('stays unknown if this service gives it %s', async (_, wrong) => {
    await serve(PROOF, wallets());
    await serve(`${baseUrl}${issuerPath(single)}`, JSON.stringify({ ...HOROLOGE, ...wrong }));
    expect(await verdictOf(genuine.path)).toMatch(UNALTERED);
    expect(problems).toEqual([]);
  });

  it.each(WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
    'has nothing that axe finds at %i pixels, %s, and does not scroll sideways',
    async (width, theme) => {
      await serve(PROOF, wallets());
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      expect(await verdictOf(genuine.path)).toMatch(/^Unaltered\. Issued by/);
      await page.getByText(genuine.holder.toLowerCase()).waitFor();
      expect(await accessibilityIssues(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(page, `confirmed-${width}-${theme}`);
    },
  );
});
