import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Client } from 'pg';
import { canonicalJson } from '../../src/catalog/metadata/portable-json.ts';
import { deploymentOf, hasPublishedCode } from '../../src/catalog/contracts/creation-call.ts';
import { readObject, type ObjectStoreSettings } from '../../src/platform/object-store.ts';
import { inTransaction } from '../in-transaction.ts';
import {
  readAccount,
  readAssets,
  readContracts,
  readDocuments,
  readRevocations,
  type ExportedAsset,
  type ExportedDocument,
} from './account-records.ts';
import { ArchiveFolder } from './archive-folder.ts';
import { takeStatusNumbers, writeCredentials, type CredentialSigner } from './archived-credentials.ts';
import { writeRecords } from './archived-records.ts';
import { inParallel } from './in-parallel.ts';

/** What an account leaves behind. */
export interface Export {
  readonly databaseUrl: string;
  readonly corporateId: string;
  /** The folder; what it has of an earlier run is kept. */
  readonly directory: string;
  /** The page of the certificate check, with the addresses of nodes. @param assetBases Where files were until now. */
  readonly checkPage: (assetBases: readonly string[]) => string;
  /** Has the uploaded files; undefined: the account has none. */
  readonly objectStore: ObjectStoreSettings | undefined;
  /** The folder for what is not public, without which the archive cannot be imported; undefined: none. */
  readonly records?: string | undefined;
  /** Signs credentials of what a connection reads; undefined: the archive has none. */
  readonly credentials?: ((client: Client) => CredentialSigner) | undefined;
  /** Told how far it is. */
  readonly say: (line: string) => void;
}

/** How long a file may take, in milliseconds. */
const PATIENCE_MS = 300_000;
/** Documents after which to say how far it is. */
const PROGRESS = 10_000;

/**
 * Writes what anybody needs to check an account's certificates without this service: files that any web server serves,
 * under the paths that the service has, and so at the same addresses if it is given the same domain. The same records
 * give the same bytes; what an interrupted run has written is not written again.
 * @returns the root of the Merkle tree over all files, in hex.
 * @throws when there is no such account, a document does not have the hash of its certificate, or a file cannot be
 *   read. Files are read from the store by their keys: an account that was imported has its URLs from whoever wrote the
 *   archive.
 */
export async function exportAccount(options: Export): Promise<string> {
  const { databaseUrl, corporateId, directory, checkPage, objectStore, records, credentials, say } = options;
  const folder = await ArchiveFolder.open(directory);
  const notPublic = records === undefined ? undefined : await folderBeside(directory, records);
  if (credentials !== undefined) {
    const { id } = await inTransaction(databaseUrl, (client) => readAccount(client, corporateId));
    await takeStatusNumbers(databaseUrl, id);
  }
  const { account, contracts, revocations, assets } = await inTransaction(databaseUrl, async (client) => {
    // What is read is as of one moment.
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const found = await readAccount(client, corporateId);
    const [owned, revoked, files] = [
      await readContracts(client, found.id),
      await readRevocations(client, found.id),
      await readAssets(client, found.id),
    ];
    await writeDocuments(
      folder,
      client,
      found.id,
      new Set(owned.filter(({ isCertificate }) => isCertificate).map(({ address }) => address)),
      say,
    );
    if (credentials !== undefined) await writeCredentials(folder, client, found, credentials(client), say);
    if (notPublic !== undefined) await writeRecords(notPublic, client, found, say);
    return { account: found, contracts: owned, revocations: revoked, assets: files };
  });
  await inParallel(revocations, async ({ contractAddress, tokenId, ...revocation }) => {
    await folder.write(`certificates/${contractAddress}/${tokenId}/revocation`, JSON.stringify(revocation));
  });
  const { issuer, wallets: owners } = account;
  for (const { chainId, address, isCertificate, contract, forwarder } of contracts) {
    const deployment = isCertificate ? deploymentOf({ contract, forwarder, owners }) : undefined;
    if (deployment === undefined) continue;
    await folder.write(`deployments/${chainId}/${address}`, JSON.stringify(deployment));
  }
  if (issuer !== null) {
    for (const { chainId, address, contract, forwarder } of contracts) {
      if (!hasPublishedCode({ contract, forwarder, owners })) continue;
      for (const wallet of owners) {
        await folder.write(`issuers/${chainId}/${address}/${wallet}`, JSON.stringify(issuer));
      }
    }
  }
  say(`${assets.length} files uploaded by the account`);
  await inParallel(assets, async ({ key, bytes }) => {
    if (objectStore === undefined) throw new Error('Set S3_BUCKET: the account has uploaded files');
    await folder.copy(`assets/${key}`, bytes, () => readObject(objectStore, key, PATIENCE_MS));
  });
  await folder.write('verify/index.html', checkPage(basesOf(assets)));
  await folder.write('index.html', redirectTo('verify/'));
  await folder.write('README.txt', README);
  const root = await folder.seal({
    issuer: issuer?.name ?? null,
    chains: [...new Set(contracts.map(({ chainId }) => chainId))],
  });
  // Each belongs to the other.
  await notPublic?.seal({ archive: root });
  return root;
}

/**
 * The folder for what is not public.
 * @throws if one of both is in the other: whoever copies the archive to a web server must not copy it too.
 */
async function folderBeside(directory: string, records: string): Promise<ArchiveFolder> {
  const refuse = (one: string, other: string) => {
    if (isIn(one, other) || isIn(other, one))
      throw new Error(`${records} must not be inside ${directory} or contain it: it is not public`);
  };
  refuse(resolve(directory), resolve(records));
  await mkdir(directory, { recursive: true });
  await mkdir(records, { recursive: true, mode: 0o700 });
  // Either may be behind a link.
  refuse(await realpath(directory), await realpath(records));
  return await ArchiveFolder.open(records);
}

/** Whether a path is another one, or leads to something in it. */
function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

async function writeDocuments(
  folder: ArchiveFolder,
  client: Client,
  accountId: string,
  certificates: ReadonlySet<string>,
  say: (line: string) => void,
): Promise<void> {
  let [written, told] = [0, 0];
  for await (const page of readDocuments(client, accountId)) {
    await inParallel(page, (one) => writeDocument(folder, one, certificates.has(one.contractAddress)));
    written += page.length;
    if (written - told >= PROGRESS) {
      say(`${written.toLocaleString('en')} documents`);
      told = written;
    }
  }
  say(`${written.toLocaleString('en')} documents in all`);
}

async function writeDocument(
  folder: ArchiveFolder,
  { chainId, contractAddress, tokenId, document, hash }: ExportedDocument,
  isCertificate: boolean,
): Promise<void> {
  const text = canonicalJson(document);
  if (hash !== null && hash !== `0x${createHash('sha256').update(text).digest('hex')}`) {
    throw new Error(`The document of ${contractAddress}/${tokenId} does not have the hash of its certificate`);
  }
  await folder.write(`metadata/${contractAddress}/${tokenId}`, text);
  if (!isCertificate) return;
  const query = new URLSearchParams({ contract: contractAddress, token: tokenId, chainId });
  await folder.write(`verify/${contractAddress}/${tokenId}/index.html`, redirectTo(`../../?${query.toString()}`));
}

function basesOf(assets: readonly ExportedAsset[]): string[] {
  return [...new Set(assets.map(({ url, key }) => url.slice(0, -key.length)))];
}

/** @param target A path, of which nothing must be escaped but `&`. */
function redirectTo(target: string): string {
  const url = target.replaceAll('&', '&amp;');
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Check</a>\n`;
}

const README = `This folder has everything needed to check certificates without the service that issued them.

Serve it with any web server, or from IPFS; browsers do not run it from disk.
Under the former service's domain, links and QR codes of certificates keep working.

  verify/         the check: it compares a document with the hash on the chain
  metadata/       the documents, in canonical form (RFC 8785), as application/json
  certificates/   why certificates were revoked (the chain says that they were), and their credentials
  deployments/    how the contracts of certificates were created, which proves their code
  credentials/    status lists: which credentials were revoked when this folder was made
  issuers/        who the issuer is, as confirmed by the operator of the service; the keys of its credentials
  assets/         files that documents name
  SHA256SUMS      the hash of each file: sha256sum -c SHA256SUMS
  manifest.json   the root of the Merkle tree (RFC 6962) over the lines of SHA256SUMS
`;
