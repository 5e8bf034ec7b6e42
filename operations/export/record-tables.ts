import { isAddress } from 'viem';
import { z } from 'zod';
import { confirmedIssuer } from '../../src/accounts/confirmed-issuer.ts';
import { collectionInput } from '../../src/catalog/collections/collection-document.ts';
import { storageIssues } from '../../src/catalog/metadata/portable-json.ts';
import { BURN_AUTHS } from '../../src/chains/views.ts';
import { isSchemaVersion } from '../../src/catalog/metadata/schemas.ts';
import { validateDocument } from '../../src/catalog/metadata/validate-document.ts';
import {
  addressField,
  chainIdField,
  hashField,
  instantField,
  nameField,
  recordIdField,
  textField,
  tokenIdField,
  urlField,
} from '../../src/core/fields.ts';

// Rows as PostgreSQL's client returns them, in JSON: numbers of 64 bits and numerics are texts, times are ISO 8601.

/** PostgreSQL has no year 0, and what it rounds stays within four digits. */
const instant = instantField.refine((text) => !/^(?:0000|9999)/.test(text), 'must be of the years 1 to 9998');
const contractAddress = z
  .string()
  .refine((text) => isAddress(text) && text === text.toLowerCase(), 'must be an address');
const amount = z.string().regex(/^\d{1,16}$/, 'must be a number of units');
const blockNumber = z.string().regex(/^\d{1,15}$/, 'must be the number of a block');
const decimal = z.string().regex(/^-?\d{1,100}(\.\d{1,100})?$/, 'must be a decimal');
const text = textField(10_000);
/** Who asked for a change. The key that was used, if it was one, is not carried. */
const actor = z.enum(['key', 'global', 'admin', 'command']).nullable();
const ercStandard = z.enum(['721', '1155']);
const timestamps = { created_at: instant, updated_at: instant };
/** What an order has once it has ended. */
const result = {
  total_fee_native: decimal.nullable(),
  native_price_usd: z.number().nullable(),
  total_fee_usd: z.number().nullable(),
  native_price_krw: z.number().nullable(),
  total_fee_krw: z.number().nullable(),
  error_message: text.nullable(),
  completed_at: instant.nullable(),
  ...timestamps,
};
const order = { status: z.enum(['CONFIRMED', 'FAILED', 'CANCELLED']), tx_hash: hashField.nullable(), ...result };
const place = { chain_id: chainIdField, contract_address: contractAddress };
const gas = z
  .string()
  .regex(/^\d{1,30}$/, 'must be an amount of gas')
  .nullable();

/** JSON that the database takes as it is. */
const storable = z.looseObject({}).superRefine((value, context) => {
  for (const { path, message } of storageIssues(value))
    context.addIssue({ code: 'custom', message: `${path} ${message}` });
});

/** Refuses a document that is not what its version of the schemas says. */
function checkDocument(
  row: { readonly schema_version: string; readonly standard_fields: unknown },
  context: z.RefinementCtx,
): void {
  const { schema_version: version, standard_fields: document } = row;
  if (!isSchemaVersion(version)) {
    context.addIssue({ code: 'custom', path: ['schema_version'], message: 'must be a version of a schema' });
  } else if (document !== null) {
    for (const { path, message } of validateDocument(document, version)) {
      context.addIssue({ code: 'custom', path: ['standard_fields'], message: `${path} ${message}` });
    }
  }
}

const { imageUrl, bannerImageUrl, featuredImageUrl, externalUrl, ...sameInCollections } = collectionInput.shape;

/** Whether a row is about a token contract that the account has there. */
const isOwn = (row = 'r') => `EXISTS (
  SELECT FROM contracts c WHERE c.contract_address = ${row}.contract_address AND c.chain_id = ${row}.chain_id
    AND c.corporate_account_id = $1 AND c.status = 'ACTIVE' AND c.erc_standard <> 'Forwarder')`;
const hasKnownContract = (row = 'r') => `(${row}.contract_address IS NULL OR ${isOwn(row)})`;
/** An order that has ended for good. */
const hasEnded = `r.status IN ('CONFIRMED', 'FAILED', 'CANCELLED') AND NOT EXISTS (
  SELECT FROM transactions t WHERE t.order_id = r.id AND NOT (t.state IN ('failed', 'cancelled') OR t.state = 'confirmed' AND t.is_final))`;
const isDocumentExported = `(r.metadata_id IS NULL OR EXISTS (
  SELECT FROM metadata m WHERE m.id = r.metadata_id AND m.corporate_account_id = $1 AND ${hasKnownContract('m')}))`;

/** A table whose rows of an account an archive carries. */
export interface RecordTable {
  readonly name: string;
  /** What is carried of a row. Besides, each belongs to the account. */
  readonly row: z.ZodObject;
  /** What a schema of columns cannot say. */
  readonly check?: (row: never, context: z.RefinementCtx) => void;
  /** Columns whose values together no two rows share, unless one of them is null. */
  readonly unique: readonly (readonly string[])[];
  /** Which rows are carried: a condition on `r` and $1, the account. */
  readonly where: string;
  readonly orderBy: string;
  /** The view that is read; absent: the one of this name. */
  readonly view?: string;
  /** Of a view of the ledger; absent: it is a table. */
  readonly ledger?: LedgerRows;
}

/** How the rows of a view of the ledger are stored again. */
interface LedgerRows {
  /** What the archive calls the gas that an order has used, if the view calls it something else. */
  readonly gas?: string;
  /** Expressions of a row `r` of the view, by the columns of the ledger that the view calls something else, or lacks. */
  readonly columns: Readonly<Record<string, string>>;
}

const orders = (
  name: string,
  ledger: LedgerRows & { readonly gas: string },
  row: z.core.$ZodLooseShape,
  where = `${isOwn()} AND ${hasEnded}`,
): RecordTable => ({
  name,
  ledger,
  row: z.strictObject({ id: recordIdField, ...place, ...order, ...row, [ledger.gas]: gas }),
  unique: [['id']],
  where,
  orderBy: 'r.id',
});

/**
 * What an archive carries of an account besides what is public, in the order in which it is stored again: rows refer
 * only to the account, and to rows of the tables before. Keys, secrets and limits are not among it, nor what has not
 * ended.
 */
export const RECORD_TABLES: readonly RecordTable[] = [
  {
    name: 'contracts',
    view: 'contract_records',
    ledger: {
      columns: {
        // Another id than that of the ownership transfer that follows it.
        id: 'left(r.id, 12) || left(md5(r.id), 12)',
        kind: "'deploy'",
        resource: "'contracts'",
        contract_address: 'NULL',
        erc_standard: 'NULL',
        state: "CASE r.status WHEN 'ACTIVE' THEN 'confirmed' ELSE 'failed' END",
        tx_hash: 'r.deploy_tx_hash',
        gas_used: 'r.deploy_gas_used',
      },
    },
    row: z.strictObject({
      id: recordIdField,
      chain_id: chainIdField,
      contract_address: contractAddress.nullable(),
      name: text.nullable(),
      symbol: text.nullable(),
      erc_standard: ercStandard,
      contract_type: z.enum(['standard', 'certificate']),
      status: z.enum(['ACTIVE', 'FAILED']),
      royalty_receiver: addressField.nullable(),
      royalty_fee_bps: z.int().min(0).max(10_000).nullable(),
      metadata_base_uri: text.nullable(),
      burn_auth: z.enum(BURN_AUTHS).nullable(),
      transfer_owner_address: addressField.nullable(),
      deploy_tx_hash: hashField.nullable(),
      deploy_gas_used: gas,
      registered_at_block: blockNumber.nullable(),
      ...result,
    }),
    check: ({ status, contract_address: address }: { status: string; contract_address: unknown }, context) => {
      if ((status === 'ACTIVE') === (address === null)) {
        context.addIssue({ code: 'custom', path: ['contract_address'], message: 'must be that of an ACTIVE contract' });
      }
    },
    unique: [['id'], ['contract_address']],
    where: `r.erc_standard <> 'Forwarder' AND r.contract_type IS NOT NULL
      AND (r.status = 'ACTIVE' OR r.status = 'FAILED' AND r.contract_address IS NULL)`,
    orderBy: 'r.id',
  },
  {
    name: 'collection_versions',
    row: z.strictObject({
      id: recordIdField,
      contract_id: recordIdField,
      version: z.int32().min(1),
      document: z.strictObject({
        ...sameInCollections,
        image: imageUrl,
        banner_image: bannerImageUrl,
        featured_image: featuredImageUrl,
        external_link: externalUrl,
      }),
      created_at: instant,
      created_by: actor,
    }),
    unique: [['id'], ['contract_id', 'version']],
    where: `EXISTS (SELECT FROM contracts c WHERE c.id = r.contract_id AND c.status = 'ACTIVE' AND c.erc_standard <> 'Forwarder')`,
    orderBy: 'r.id',
  },
  {
    name: 'metadata',
    row: z.strictObject({
      id: recordIdField,
      chain_id: chainIdField,
      contract_address: contractAddress.nullable(),
      token_id: tokenIdField.nullable(),
      schema_version: z.string(),
      standard_fields: storable,
      metadata_hash: hashField.nullable(),
      linked_at: instant.nullable(),
      version: z.int32().min(1),
      frozen_at: instant.nullable(),
      ...timestamps,
    }),
    check: checkDocument,
    unique: [['id']],
    where: hasKnownContract(),
    orderBy: 'r.id',
  },
  {
    name: 'metadata_versions',
    row: z.strictObject({
      id: recordIdField,
      metadata_id: recordIdField,
      version: z.int32().min(1),
      schema_version: z.string(),
      current_status: text.nullable(),
      standard_fields: storable.nullable(),
      replaced_at: instant,
      replaced_by: actor,
    }),
    check: checkDocument,
    unique: [['id'], ['metadata_id', 'version']],
    where: `EXISTS (SELECT FROM metadata m WHERE m.id = r.metadata_id AND ${hasKnownContract('m')})`,
    orderBy: 'r.id',
  },
  orders(
    'minting_orders',
    {
      gas: 'minting_gas_used',
      columns: {
        resource: "'minting-orders'",
        kind: "CASE r.mode WHEN 'relay' THEN 'relay-mint' ELSE 'mint' END",
        details: "jsonb_strip_nulls(jsonb_build_object('tokenUri', r.token_uri, 'metadataHash', r.metadata_hash))",
      },
    },
    {
      contract_id: recordIdField,
      erc_standard: ercStandard,
      receiver_address: addressField,
      token_id: tokenIdField,
      amount,
      metadata_id: recordIdField,
      token_uri: text.nullable(),
      metadata_hash: hashField.nullable(),
      mode: z.enum(['direct', 'relay']),
    },
    `${isOwn()} AND ${hasEnded} AND ${isDocumentExported}`,
  ),
  orders(
    'transfer_orders',
    {
      gas: 'transfer_gas_used',
      columns: {
        resource: "'transfer-orders'",
        kind: "CASE r.purpose WHEN 'cancel' THEN 'revocation' ELSE 'transfer' END",
        holder_address: 'r."from"',
        receiver_address: 'r."to"',
      },
    },
    {
      purpose: z.enum(['transfer', 'cancel']),
      erc_standard: ercStandard.nullable(),
      from: addressField,
      to: addressField.nullable(),
      token_id: tokenIdField.nullable(),
      amount: amount.nullable(),
    },
  ),
  orders(
    'burn_orders',
    { gas: 'burn_gas_used', columns: { resource: "'burn-orders'", kind: "'burn'", holder_address: 'r."from"' } },
    {
      erc_standard: ercStandard,
      from: addressField,
      token_id: tokenIdField,
      amount,
    },
  ),
  orders(
    'certificate_revocations',
    {
      gas: 'revocation_gas_used',
      columns: {
        resource: "'certificate-revocations'",
        kind: "'certificate-revocation'",
        holder_address: 'r."from"',
        details: "jsonb_build_object('reason', r.reason)",
      },
    },
    {
      contract_id: recordIdField,
      erc_standard: ercStandard,
      from: addressField,
      token_id: tokenIdField,
      amount,
      reason: text,
    },
  ),
  orders(
    'ownership_transfers',
    {
      gas: 'transfer_gas_used',
      columns: {
        resource: "'ownership-transfers'",
        kind: "'ownership-transfer'",
        receiver_address: 'r.new_owner_address',
      },
    },
    {
      contract_id: recordIdField,
      new_owner_address: addressField,
    },
  ),
  orders(
    'chain_notifications',
    { gas: 'notification_gas_used', columns: { resource: "'chain-notifications'", kind: "'notification'" } },
    {
      contract_id: recordIdField,
      metadata_id: recordIdField.nullable(),
      token_id: tokenIdField.nullable(),
    },
    `${isOwn()} AND ${hasEnded} AND ${isDocumentExported}`,
  ),
  orders(
    'base_uri_changes',
    {
      gas: 'base_uri_gas_used',
      columns: {
        resource: "'base-uri-changes'",
        kind: "'base-uri'",
        details: "jsonb_build_object('metadataBaseUri', r.metadata_base_uri)",
      },
    },
    {
      contract_id: recordIdField,
      metadata_base_uri: text,
    },
  ),
  {
    name: 'credential_statuses',
    row: z.strictObject({ contract_address: contractAddress, token_id: tokenIdField, number: z.int32().min(0) }),
    unique: [['contract_address', 'token_id'], ['number']],
    where: `EXISTS (SELECT FROM contracts c WHERE c.contract_address = r.contract_address AND c.corporate_account_id = $1 AND c.status = 'ACTIVE')`,
    orderBy: 'r.number',
  },
  {
    name: 'assets',
    row: z.strictObject({
      id: recordIdField,
      original_file_name: nameField(200),
      s3_key: z.string().regex(/^[0-9a-f]{16}\/[0-9a-f]{24}\.[a-z0-9]{2,4}$/, 'must be the key of an uploaded file'),
      url: urlField('media'),
      mime_type: z.string().max(100),
      size_bytes: z.int32().min(1),
      ...timestamps,
    }),
    unique: [['id'], ['s3_key']],
    where: 'true',
    orderBy: 'r.id',
  },
];

/** What an archive carries of the account itself. */
export const accountRecord = z.strictObject({
  id: recordIdField,
  corporateId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, - and _'),
  issuerId: z.uuid().lowercase('must be in lower case'),
  name: text.min(1),
  walletLinkType: text,
  metadata: storable,
  status: z.enum(['ACTIVE', 'INACTIVE']),
  approvalsRequired: z.boolean(),
  issuer: confirmedIssuer.extend({ confirmedAt: instant }).nullable(),
  /** The domains that have ever served the keys of its credentials. */
  didDomains: z.array(confirmedIssuer.shape.domain).max(1_000),
  /** Its main wallets, now and before. */
  wallets: z
    .array(addressField)
    .max(1_000)
    .refine((all) => new Set(all.map((one) => one.toLowerCase())).size === all.length, 'must not name a wallet twice'),
  createdAt: instant,
  updatedAt: instant,
  /** The block of each contract from which its transfers are read, by the id of the contract. */
  firstBlocks: z.record(recordIdField, z.int().min(0)),
});
export type AccountRecord = z.output<typeof accountRecord>;
