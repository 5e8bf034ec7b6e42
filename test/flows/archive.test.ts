import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command, origin, startArchive, type Archive } from '../fixtures/archive.ts';
import { call } from '../fixtures/client.ts';
import { verify, type FetchJson } from '../fixtures/verify-credential.ts';

let archive: Archive;

beforeAll(async () => {
  archive = await startArchive();
});
afterAll(() => archive.stop());

const read = (path: string) => readFile(join(archive.folder, path), 'utf8');
const credentialPath = (tokenId: string) => `certificates/${archive.certificates}/${tokenId}/credential`;
/** What a verifier fetches comes from the archive alone. */
const fetchJson: FetchJson = async (url) => {
  const { host, pathname } = new URL(url);
  expect(host).toBe(new URL(origin).host);
  return JSON.parse(await read(pathname.slice(1)));
};
const verdictOf = async (tokenId: string) => await verify(JSON.parse(await read(credentialPath(tokenId))), fetchJson);
/** What the public knows the account by. */
const issuerId = async () => /issuers:([0-9a-f-]+)/.exec(await read(credentialPath('1')))?.[1] ?? '';

describe('the credentials of an archive', () => {
  it("are those that the service serves, and verify with another vendor's software and the archive's files alone", async () => {
    for (const tokenId of ['1', '2']) {
      const { body } = await call(`/${credentialPath(tokenId)}`);
      expect(JSON.parse(await read(credentialPath(tokenId)))).toEqual(body);
    }
    expect(await verdictOf('1')).toEqual({ verified: true, isRevoked: false });
    expect(await verdictOf('2')).toEqual({ verified: true, isRevoked: true });
  });

  it('are covered by the sums, and have the same bytes in each export', async () => {
    const sums = await read('SHA256SUMS');
    const id = await issuerId();
    const paths = [
      '.well-known/did.json',
      `issuers/${id}/did.json`,
      `credentials/status/${id}/0`,
      ...['1', '2'].map(credentialPath),
    ];
    for (const path of paths) expect(sums).toContain(`  ${path}\n`);
    await archive.export();
    expect(await read('SHA256SUMS')).toBe(sums);
  });

  it('are refused once something in a file was changed', async () => {
    const id = await issuerId();
    for (const [path, from, to] of [
      [credentialPath('1'), /"name":"/, '"name":"Not '],
      [
        `credentials/status/${id}/0`,
        /"encodedList":"u....................../,
        '"encodedList":"uH4sIAAAAAAAAA-3BMQEAAADC',
      ],
      [`issuers/${id}/did.json`, /z6Mk...../g, 'z6Mkaaaaa'],
    ] as const) {
      const before = await read(path);
      const after = before.replace(from, to);
      expect(after).not.toBe(before);
      await writeFile(join(archive.folder, path), after);
      expect(await verdictOf('1')).toMatchObject({ verified: false });
      await writeFile(join(archive.folder, path), before);
    }
    expect(await verdictOf('1')).toMatchObject({ verified: true });
  });

  it('are left out, and the command says so, where nothing can sign them', async () => {
    const to = join(archive.directory, 'without');
    const args = ['--account', archive.client.account.corporateId, '--to', to];
    const { code, output } = await command('export', args, { CREDENTIAL_SECRETS: '' });
    expect([code, output]).toEqual([0, expect.stringContaining('Without credentials: CREDENTIAL_SECRETS is not set')]);
    expect(await readFile(join(to, 'SHA256SUMS'), 'utf8')).not.toContain('credential\n');
  });
});
