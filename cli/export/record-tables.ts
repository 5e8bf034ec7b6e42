import { getTableColumns } from 'drizzle-orm';
import { isAddress } from 'viem';
import { z } from 'zod';
import { confirmedIssuer } from '../../src/accounts/confirmed-issuer.ts';
import { collectionInput } from '../../src/catalog/collections/collection-document.ts';
import { storageIssues } from '../../src/catalog/metadata/portable-json.ts';
import { DEPLOYMENT } from '../../src/catalog/contracts/deployment.ts';
import { isSchemaVersion } from '../../src/catalog/metadata/schemas.ts';
import { validateDocument } from '../../src/catalog/metadata/validate-document.ts';
import { END_STATES } from '../../src/platform/database/vocabulary/order-status.ts';
import { ORDER_FORMS } from '../../src/orders/order-forms.ts';
import { BURN_AUTHS, orders } from '../../src/platform/database/schema.ts';
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
const gas = z.string().regex(/^\d{1,30}$/, 'must be an amount of gas');

/** What an order does, by the columns of the ledger. */
const does = {
  contract_id: recordIdField.nullable(),
  erc_standard: ercStandard.nullable(),
  token_id: tokenIdField.nullable(),
  amount: amount.nullable(),
  receiver_address: addressField.nullable(),
  holder_address: addressField.nullable(),
  metadata_id: recordIdField.nullable(),
};

const archivedOrder = z.strictObject({
  id: recordIdField,
  order_id: recordIdField,
  kind: z.string(),
  chain_id: chainIdField,
  contract_address: contractAddress.nullable(),
  ...does,
  details: z.record(z.string(), text).nullable(),
  state: z.enum(END_STATES),
  tx_hash: hashField.nullable(),
  gas_used: gas.nullable(),
  total_fee_native: decimal.nullable(),
  native_price_usd: z.number().nullable(),
  total_fee_usd: z.number().nullable(),
  native_price_krw: z.number().nullable(),
  total_fee_krw: z.number().nullable(),
  error_message: text.nullable(),
  completed_at: instant.nullable(),
  ...timestamps,
});

const ownColumn = z.keyof(z.object(does));

/** The columns of {@link does}, with what orders call them. */
const OWN_COLUMNS = Object.entries(getTableColumns(orders)).flatMap(([name, { name: column }]) => {
  const { data } = ownColumn.safeParse(column);
  return data === undefined ? [] : [{ name, column: data }];
});

/** Refuses an order that has not what its kind has, or something else. */
function checkOrder(row: z.output<typeof archivedOrder>, context: z.RefinementCtx): void {
  const refuse = (column: string, message: string) => context.addIssue({ code: 'custom', path: [column], message });
  const isDeployment = row.kind === DEPLOYMENT;
  const form = ORDER_FORMS.find(({ kinds }) => kinds.includes(row.kind));
  if (form === undefined && !isDeployment) {
    refuse('kind', 'must be a kind of orders');
    return;
  }
  if ((row.id === row.order_id) === isDeployment) {
    refuse('order_id', isDeployment ? "must be the contract's" : "must be the order's");
  }
  if ((row.contract_address === null) !== isDeployment) refuse('contract_address', 'must be that of the contract');
  const own = new Set<string>(Object.values(form?.names ?? {}));
  const needed = new Set<string>(form?.needed);
  for (const { name, column } of OWN_COLUMNS) {
    const isNull = row[column] === null;
    if (isNull && needed.has(name)) refuse(column, 'must not be null');
    if (!isNull && !own.has(name)) refuse(column, 'must be null');
  }
  const details = (form?.details?.strict() ?? z.strictObject({})).safeParse(row.details ?? {});
  for (const { path, message } of details.error?.issues ?? []) refuse(['details', ...path].join('.'), message);
}

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
/** A contract that is carried. */
const isCarried = (row: string) => `${row}.erc_standard <> 'Forwarder' AND ${row}.contract_type IS NOT NULL
  AND (${row}.status = 'ACTIVE' OR ${row}.status = 'FAILED' AND ${row}.contract_address IS NULL)`;
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
}

/**
 * What an archive carries of an account besides what is public, in the order in which it is stored again: rows refer
 * only to the account, and to rows of the tables before. Keys, secrets and limits are not among it, nor what has not
 * ended.
 */
export const RECORD_TABLES: readonly RecordTable[] = [
  {
    name: 'contracts',
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
      registered_at_block: blockNumber.nullable(),
      error_message: text.nullable(),
      ...timestamps,
    }),
    check: ({ status, contract_address: address }: { status: string; contract_address: unknown }, context) => {
      if ((status === 'ACTIVE') === (address === null)) {
        context.addIssue({ code: 'custom', path: ['contract_address'], message: 'must be that of an ACTIVE contract' });
      }
    },
    unique: [['id'], ['contract_address']],
    where: isCarried('r'),
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
  {
    name: 'orders',
    row: archivedOrder,
    check: checkOrder,
    unique: [['id'], ['order_id', 'kind']],
    where: `(r.state IN ('failed', 'cancelled') OR r.state = 'confirmed' AND r.is_final)
      AND CASE WHEN r.kind = '${DEPLOYMENT}' THEN EXISTS (SELECT FROM contracts c WHERE c.id = r.order_id AND ${isCarried('c')})
        ELSE ${isOwn()} AND ${isDocumentExported} END`,
    orderBy: 'r.id',
  },
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
