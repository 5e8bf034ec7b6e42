import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { getAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { DEPLOYMENT } from '../../src/catalog/contracts/deployment.ts';
import { extensionOf, HEAD_BYTES, mediaTypeOf } from '../../src/catalog/assets/media-type.ts';
import { certificateHash } from '../../src/catalog/metadata/portable-json.ts';
import { hashField } from '../../src/core/fields.ts';
import { lowerCase } from '../../src/core/lower-case.ts';
import { mintingOrders } from '../../src/orders/order-forms.ts';
import { ACCOUNT_FILE } from '../export/archived-records.ts';
import { accountRecord, RECORD_TABLES, type AccountRecord, type RecordTable } from '../export/record-tables.ts';
import type { Faults } from './faults.ts';
import { readRows, told, type Row } from './read-rows.ts';
import { jsonOf, type VerifiedFolder } from './verify-folder.ts';

/** A contract of an archive. */
const archivedContract = z.looseObject({
  id: z.string(),
  chain_id: z.string(),
  contract_address: z.string().nullable(),
  erc_standard: z.enum(['721', '1155']),
  contract_type: z.enum(['standard', 'certificate']),
});
export type ArchivedContract = z.output<typeof archivedContract>;

/** An uploaded file of an archive. */
const archivedAsset = z.object({ s3_key: z.string(), url: z.string(), mime_type: z.string(), size_bytes: z.number() });
export type ArchivedAsset = z.output<typeof archivedAsset>;

/** A certificate that the archive says is minted. */
export interface ArchivedCertificate {
  readonly chainId: string;
  readonly contractAddress: Address;
  readonly tokenId: string;
  readonly hash: string;
  /** Of the transactions that minted it; undefined: the archive has its document, but no order. */
  readonly mints: readonly Hex[] | undefined;
}

export interface CheckedRecords {
  readonly contracts: readonly ArchivedContract[];
  /** By contract and token. */
  readonly certificates: ReadonlyMap<string, ArchivedCertificate>;
  readonly assets: readonly ArchivedAsset[];
}

/** The account of an archive; undefined: it is not what it should be. */
export async function readAccountRecord(
  { directory, files }: VerifiedFolder,
  readText: (file: string) => Promise<string>,
  faults: Faults,
): Promise<AccountRecord | undefined> {
  const text = files.has(ACCOUNT_FILE) ? await readText(join(directory, ACCOUNT_FILE)) : '';
  const parsed = accountRecord.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) faults.add(`${ACCOUNT_FILE}: ${told(issue)}`);
  return undefined;
}

/**
 * Checks what the rows of an archive say: each by its schema, that they are about the account's own contracts and
 * documents, and that nothing of them is in the database, where it could only be another account's.
 */
export async function checkRecords(
  records: VerifiedFolder,
  archive: VerifiedFolder,
  client: Client,
  faults: Faults,
): Promise<CheckedRecords> {
  const known = new KnownRecords(faults);
  const refuse = (fault: string) => faults.add(fault);
  for (const table of RECORD_TABLES) {
    for await (const rows of readRows(records, table, refuse)) {
      for (const row of rows) known.check(table, row);
      await refuseTaken(client, table, rows, faults);
    }
  }
  known.checkLinked();
  for (const asset of known.assets) await checkAsset(archive, asset, faults);
  return known;
}

const rowSchema = z.object({
  id: z.string().optional(),
  chain_id: z.string().optional(),
  contract_address: z.string().nullish(),
  contract_id: z.string().nullish(),
  order_id: z.string().optional(),
  kind: z.string().optional(),
  details: z.looseObject({ metadataHash: z.string().optional() }).nullish(),
  state: z.string().optional(),
  metadata_id: z.string().nullish(),
  metadata_hash: z.string().nullish(),
  token_id: z.string().nullish(),
  tx_hash: hashField.nullish(),
  linked_at: z.string().nullish(),
});

/** The contracts, documents and files that rows of later tables may name. */
class KnownRecords implements CheckedRecords {
  readonly contracts: ArchivedContract[] = [];
  readonly certificates = new Map<string, ArchivedCertificate>();
  readonly assets: ArchivedAsset[] = [];
  readonly #faults: Faults;
  /** By id. */
  readonly #contracts = new Map<string, ArchivedContract>();
  /** The id of a contract by its address. */
  readonly #addresses = new Map<string, string>();
  /** What no two rows may share. */
  readonly #values = new Set<string>();
  /** The document of a certificate that was linked last, by contract and token. */
  readonly #linked = new Map<string, ArchivedCertificate & { readonly at: number }>();
  /** The hash of a document by its id. */
  readonly #documents = new Map<string, string | null>();

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  check({ name, unique }: RecordTable, row: Row): void {
    const { id = '', contract_address: address = null, ...rest } = rowSchema.parse(row);
    const refuse = (why: string) => this.#faults.add(`${name}: ${id === '' ? address : id} ${why}`);
    for (const columns of unique) this.#addValues(name, columns, row, refuse);
    if (name === 'contracts') {
      const contract = archivedContract.parse(row);
      this.contracts.push(contract);
      this.#contracts.set(id, contract);
      if (address !== null) this.#addresses.set(address, id);
      return;
    }
    if (name === 'assets') this.assets.push(archivedAsset.parse(row));
    const contractId = rest.kind === DEPLOYMENT ? rest.order_id : rest.contract_id;
    const contract = this.#contracts.get(contractId ?? this.#addresses.get(address ?? '') ?? '');
    const isNamed = address !== null || typeof contractId === 'string';
    const isRight =
      contract !== undefined &&
      [contract.contract_address, undefined].includes(address ?? undefined) &&
      [contract.chain_id, undefined].includes(rest.chain_id);
    if (isNamed && !isRight) refuse('is not about a contract of the archive');
    if (name === 'metadata') {
      this.#addDocument(id, address, { ...rest, document: row['standard_fields'] }, refuse);
      if (contract?.contract_type === 'certificate') this.#addLinked(contract, rest);
    }
    if (name !== 'metadata') this.#checkDocument(rest, refuse);
    const isMint = mintingOrders.kinds.includes(rest.kind ?? '') && rest.state === 'confirmed';
    // A document is of one token, which ERC-721 mints once.
    if (isMint && row['erc_standard'] === '721') this.#addValues(name, ['metadata_id'], row, refuse);
    if (isMint && contract?.contract_type === 'certificate') this.#addCertificate(contract, rest, refuse);
  }

  #addValues(table: string, columns: readonly string[], row: Row, refuse: (why: string) => void): void {
    const values = columns.map((column) => row[column]);
    if (values.includes(null)) return;
    const key = [table, ...columns, ...values].join(' ');
    if (this.#values.has(key)) refuse(`has the ${columns.join(' and ')} of another row`);
    this.#values.add(key);
  }

  #addCertificate(
    { chain_id: chainId, contract_address: address }: ArchivedContract,
    { token_id: tokenId, details, tx_hash: txHash }: z.output<typeof rowSchema>,
    refuse: (why: string) => void,
  ): void {
    const hash = details?.metadataHash?.toLowerCase();
    if (address === null || typeof tokenId !== 'string' || hash === undefined) return;
    const key = `${address}/${tokenId}`;
    const known = this.certificates.get(key);
    // The contract keeps the first document for good.
    if (known !== undefined && known.hash !== hash) refuse('has a different hash than another mint of its certificate');
    const mints = [...(known?.mints ?? []), ...(typeof txHash === 'string' ? [lowerCase(txHash)] : [])];
    this.certificates.set(key, { chainId, contractAddress: getAddress(address), tokenId, hash, mints });
  }

  #addLinked(
    { chain_id: chainId, contract_address: address }: ArchivedContract,
    { token_id: tokenId, metadata_hash: hash, linked_at: linkedAt }: z.output<typeof rowSchema>,
  ): void {
    if (address === null || typeof tokenId !== 'string' || typeof linkedAt !== 'string') return;
    const key = `${address}/${tokenId}`;
    const at = Date.parse(linkedAt);
    if (at < (this.#linked.get(key)?.at ?? at)) return;
    const contractAddress = getAddress(address);
    this.#linked.set(key, { chainId, contractAddress, tokenId, hash: hash ?? 'none', mints: undefined, at });
  }

  /** Once all rows are checked: the public is served the document that was linked last. */
  checkLinked(): void {
    for (const [key, document] of this.#linked) {
      const { hash } = this.certificates.get(key) ?? {};
      if (hash === undefined) this.certificates.set(key, document);
      else if (hash !== document.hash) this.#faults.add(`metadata: ${key} has a different hash than its certificate`);
    }
  }

  #addDocument(
    id: string,
    address: string | null,
    {
      document,
      metadata_hash: hash = null,
      token_id: tokenId,
      linked_at: linkedAt,
    }: z.output<typeof rowSchema> & { document: unknown },
    refuse: (why: string) => void,
  ): void {
    this.#documents.set(id, hash);
    if (hash !== null && certificateHash(document) !== hash) refuse('does not have the hash of its certificate');
    if (new Set([address, tokenId, linkedAt].map((value) => value === null)).size > 1) refuse('has half a token');
  }

  #checkDocument(
    { metadata_id: documentId, details }: z.output<typeof rowSchema>,
    refuse: (why: string) => void,
  ): void {
    if (typeof documentId !== 'string') return;
    const stored = this.#documents.get(documentId);
    if (stored === undefined) refuse('names a document that is not in the archive');
    else if ((details?.metadataHash?.toLowerCase() ?? stored) !== stored)
      refuse('has a different hash than its document');
  }
}

const WITH_IDS = new Set(RECORD_TABLES.filter(({ row }) => 'id' in row.shape).map(({ name }) => name));
const TAKEN_IDS = RECORD_TABLES.filter(({ name }) => WITH_IDS.has(name))
  .map(({ name }) => `SELECT id AS taken FROM ${name} WHERE id = ANY($1)`)
  .join(' UNION ');

/** Refuses rows whose ids, contracts or files are in the database: they are another account's. */
async function refuseTaken(client: Client, { name }: RecordTable, rows: readonly Row[], faults: Faults): Promise<void> {
  const valuesOf = (column: string) => rows.map((row) => row[column]).filter((value) => typeof value === 'string');
  const refuse = async (query: string, values: readonly string[]) => {
    const { rows: found } = await client.query<{ taken: string }>(query, [values]);
    for (const { taken } of found) faults.add(`${name}: ${taken} is another account's`);
  };
  if (WITH_IDS.has(name)) await refuse(TAKEN_IDS, valuesOf('id'));
  if (name === 'contracts') {
    const addresses = valuesOf('contract_address');
    await refuse('SELECT contract_address AS taken FROM contracts WHERE contract_address = ANY($1)', addresses);
  }
  if (name === 'assets') {
    await refuse('SELECT s3_key AS taken FROM assets WHERE s3_key = ANY($1)', valuesOf('s3_key'));
  }
}

/** Whether the archive has a file, and it is of the type that its record says. */
async function checkAsset(
  { directory, files }: VerifiedFolder,
  { s3_key: key, url, mime_type: type, size_bytes: bytes }: ArchivedAsset,
  faults: Faults,
): Promise<void> {
  const refuse = (why: string) => faults.add(`assets: ${key} ${why}`);
  if (!url.endsWith(`/${key}`)) refuse('has the URL of another file');
  const path = `assets/${key}`;
  if (files.get(path)?.bytes !== bytes) {
    refuse('is not in the archive, or has a different size');
    return;
  }
  const file = await open(join(directory, path));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const found = mediaTypeOf(buffer.subarray(0, bytesRead));
    if (found === undefined || found !== type || !key.endsWith(`.${extensionOf(found)}`)) refuse(`is no ${type}`);
  } finally {
    await file.close();
  }
}
