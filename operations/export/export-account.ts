import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { canonicalJson } from '../../src/catalog/metadata/portable-json.ts';
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

/** What an account leaves behind. */
export interface Export {
  readonly databaseUrl: string;
  readonly corporateId: string;
  /** The folder; what it has of an earlier run is kept. */
  readonly directory: string;
  /** The page of the certificate check, with the addresses of nodes. @param assetBases Where files were until now. */
  readonly checkPage: (assetBases: readonly string[]) => string;
  /** Told how far it is. */
  readonly say: (line: string) => void;
}

/** Files that are written at a time. */
const AT_ONCE = 32;
/** How long a file may take, in milliseconds. */
const PATIENCE_MS = 300_000;
/** Documents after which to say how far it is. */
const PROGRESS = 10_000;

/**
 * Writes what anybody needs to check an account's certificates without this service: files that any web server serves,
 * under the paths that the service has, and so at the same addresses if it is given the same domain. The same records
 * give the same bytes; what an interrupted run has written is not written again.
 * @returns the root of the Merkle tree over all files, in hex.
 * @throws when there is no such account, a document has not the hash of its certificate, or a file cannot be read.
 */
export async function exportAccount({ databaseUrl, corporateId, directory, checkPage, say }: Export): Promise<string> {
  const folder = await ArchiveFolder.open(directory);
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
    return { account: found, contracts: owned, revocations: revoked, assets: files };
  });
  await inParallel(revocations, async ({ contractAddress, tokenId, ...revocation }) => {
    await folder.write(`certificates/${contractAddress}/${tokenId}/revocation`, JSON.stringify(revocation));
  });
  const { issuer, wallets } = account;
  if (issuer !== null) {
    for (const { chainId, address } of contracts) {
      for (const wallet of wallets) {
        await folder.write(`issuers/${chainId}/${address}/${wallet}`, JSON.stringify(issuer));
      }
    }
  }
  say(`${assets.length} files that the account has uploaded`);
  await inParallel(assets, async (asset) => {
    await folder.copy(`assets/${asset.key}`, asset.bytes, () => download(asset));
  });
  await folder.write('verify/index.html', checkPage(basesOf(assets)));
  await folder.write('index.html', redirectTo('verify/'));
  await folder.write('README.txt', README);
  return await folder.seal({
    issuer: issuer?.name ?? null,
    chains: [...new Set(contracts.map(({ chainId }) => chainId))],
  });
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
    throw new Error(`The document of ${contractAddress}/${tokenId} has not the hash of its certificate`);
  }
  await folder.write(`metadata/${contractAddress}/${tokenId}`, text);
  if (!isCertificate) return;
  const query = new URLSearchParams({ contract: contractAddress, token: tokenId, chainId });
  await folder.write(`verify/${contractAddress}/${tokenId}/index.html`, redirectTo(`../../?${query.toString()}`));
}

async function download({ url }: ExportedAsset): Promise<AsyncIterable<Uint8Array>> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!reply.ok || reply.body === null) throw new Error(`${url} returned ${reply.status}`);
  return reply.body;
}

function basesOf(assets: readonly ExportedAsset[]): string[] {
  return [...new Set(assets.map(({ url, key }) => url.slice(0, -key.length)))];
}

/** @param target A path, of which nothing must be escaped but `&`. */
function redirectTo(target: string): string {
  const url = target.replaceAll('&', '&amp;');
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Check</a>\n`;
}

async function inParallel<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const README = `This folder has what it takes to check certificates without the service that issued them.

Serve it with any web server, or from IPFS; a browser does not run it from a disk.
Under the domain of the former service, links and QR codes of certificates go on working.

  verify/         the check: it compares a document with the hash on the chain, whose nodes it asks
  metadata/       the documents, in canonical form (RFC 8785), as application/json
  certificates/   why certificates were revoked; that they were, the chain says
  issuers/        who the issuer is, as the operator of the service had confirmed it
  assets/         files that documents name
  SHA256SUMS      the hash of each file: sha256sum -c SHA256SUMS
  manifest.json   the root of the Merkle tree (RFC 6962) over the lines of SHA256SUMS
`;
