import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { verify, type FetchJson } from '../fixtures/verify-credential.ts';
import { launchBrowser, openPage } from './browser.ts';
import { deployCertificates, issueCertificate, revokeCertificate, type Issued } from './certificates.ts';

const { baseUrl, corporateId } = inject('info');
const databaseUrl = inject('databaseUrl');
const PRODUCT = '/01/09506000134352/21/HD-2026-0011';

let browser: Browser;
let certificate: Issued;

beforeAll(async () => {
  browser = await launchBrowser();
  const acme = { name: 'Acme', logoUrl: 'https://acme.example/logo.svg', domain: 'acme.example' };
  await confirmIssuer(corporateId, acme, databaseUrl);
  const traits = { Type: 'Authenticity', GTIN: '09506000134352', 'Serial Number': 'HD-2026-0011' };
  const others = ['Style Name', 'Issuer (Mint by)', 'Creator', 'Issue Date'].map((traitType) => ({
    traitType,
    value: 'Diver',
  }));
  certificate = await issueCertificate(await deployCertificates('721', { burnAuth: 'issuer' }), '1', {
    metadata: {
      attributes: [
        ...Object.entries(traits).map(([traitType, value]) => ({ traitType, value })),
        ...others,
        { traitType: 'Transferability', value: 'Non-Transferable (SBT)' },
      ],
    },
  });
});
afterAll(async () => {
  await confirmIssuer(corporateId, null, databaseUrl);
  await browser.close();
});

const readJson: FetchJson = async (url) => {
  const reply = await fetch(url);
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return await reply.json();
};

/** What the check of the certificate says to whoever follows the QR code of its product. */
async function checkAfterScan(): Promise<string> {
  const { context, page } = await openPage(browser);
  await page.goto(`${baseUrl}${PRODUCT}`);
  expect(page.url()).toContain(certificate.path);
  const verdict = page.getByRole('status');
  await verdict.getByRole('heading').filter({ hasNotText: 'Checking' }).waitFor();
  const text = await verdict.innerText();
  await context.close();
  return text;
}

async function readers() {
  const { contractAddress, tokenId } = certificate;
  const credential = await readJson(`${baseUrl}/certificates/${contractAddress}/${tokenId}/credential`);
  const { linkset } = await readJson(`${baseUrl}${PRODUCT}?linkType=all`);
  return {
    check: await checkAfterScan(),
    credential: await verify(credential, readJson),
    certifies: 'https://ref.gs1.org/voc/certificationInfo' in linkset[0],
  };
}

it('one revocation flips the check, the bit of the credential and the links of the product', async () => {
  expect(await readers()).toEqual({
    check: expect.stringMatching(/^Unaltered/),
    credential: { verified: true, isRevoked: false },
    certifies: true,
  });
  await revokeCertificate(certificate);
  expect(await readers()).toEqual({
    check: expect.stringMatching(/^Revoked/),
    credential: { verified: true, isRevoked: true },
    certifies: false,
  });
});
