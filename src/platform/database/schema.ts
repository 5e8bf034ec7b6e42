import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { zeroAddress, type Address, type Hex } from 'viem';
import type { ChainDefinition } from '../../chains/definition.ts';
import type { ApprovalAction } from './vocabulary/approval-action.ts';
import { UNFINISHED_DELIVERY_STATUSES, type AttemptStatus, type DeliveryStatus } from './vocabulary/delivery-status.ts';
import {
  END_STATES,
  UNFINISHED_STATES,
  type HoldReason,
  type ContractStatus,
  type OrderStatus,
  type TransactionState,
  UNFINISHED_STATUSES,
} from './vocabulary/order-status.ts';
import {
  ACTIVE_IMPORT_STATUSES,
  ENDED_IMPORT_STATUSES,
  IDLE_IMPORT_STATUSES,
  type ImportCaller,
  type ImportedRow,
  type ImportedUse,
  type ImportFault,
  type ImportKind,
  type ImportStatus,
  type ImportWait,
} from './vocabulary/import.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { Scope } from './vocabulary/scope.ts';
import type { TallyName } from '../../core/tally.ts';
import type { Trace } from '../../core/trace.ts';
import { literals } from './values.ts';

/** A record id: 24 hex characters, time-ordered, created by `newId`. */
const recordId = (name: string) => text(name);
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

const timestamps = {
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
};

/** What a mined transaction cost. Prices are null when no exchange rate was available. */
const feeColumns = {
  totalFeeNative: numeric('total_fee_native'),
  nativePriceUsd: doublePrecision('native_price_usd'),
  totalFeeUsd: doublePrecision('total_fee_usd'),
  nativePriceKrw: doublePrecision('native_price_krw'),
  totalFeeKrw: doublePrecision('total_fee_krw'),
};

/** Tenants. Written only by the operator's command. */
export const corporateAccounts = pgTable(
  'corporate_accounts',
  {
    id: recordId('id').primaryKey(),
    corporateId: text('corporate_id').notNull().unique(),
    /** What the public may know it by, as the issuer of credentials: its id and its corporateId are credentials. */
    issuerId: text('issuer_id')
      .notNull()
      .unique()
      .default(sql`gen_random_uuid()::text`),
    corporateName: text('corporate_name').notNull(),
    secretManagerKeyId: text('secret_manager_key_id').notNull(),
    /** EIP-55 checksummed. */
    walletAddress: text('wallet_address').$type<Address>().notNull(),
    walletLinkType: text('wallet_link_type').notNull().default('DEDICATED'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
    status: text('status').notNull().default('ACTIVE'),
    /** Since when the operator has paused it; null while it is not paused. */
    pausedAt: instant('paused_at'),
    /** Whether a second person must approve ownership transfers, forwarders and contracts that trust foreign ones. */
    approvalsRequired: boolean('approvals_required').notNull().default(false),
    /** Who it is, as the operator confirms it to the public; all four are null, or none. */
    issuerName: text('issuer_name'),
    issuerLogoUrl: text('issuer_logo_url'),
    issuerDomain: text('issuer_domain'),
    issuerConfirmedAt: instant('issuer_confirmed_at'),
    /** Whether its domain serves the DID document with the keys of its credentials, as the operator confirms it. */
    issuerPublishesDid: boolean('issuer_publishes_did').notNull().default(false),
    /** The domains that have ever done so: credentials that name them still have a status list. */
    issuerDidDomains: text('issuer_did_domains').array().notNull().default([]),
    ...timestamps,
  },
  (table) => [index('corporate_accounts_by_wallet').on(table.walletAddress)],
);

const accountId = () =>
  recordId('corporate_account_id')
    .notNull()
    .references(() => corporateAccounts.id);

/**
 * Wallets that pay for the relayed requests of accounts. A replaced one keeps its row: orders that were accepted for it
 * are executed by it. A former main wallet has a row too, replaced when it was added.
 */
export const relayerWallets = pgTable(
  'relayer_wallets',
  {
    /** EIP-55 checksummed. */
    address: text('address').$type<Address>().primaryKey(),
    corporateAccountId: accountId(),
    /** Name of the secret with its private key. */
    secretId: text('secret_id').notNull().unique(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Since when new requests are relayed by another wallet; null for the account's current one. */
    replacedAt: instant('replaced_at'),
  },
  (table) => [
    index('relayer_wallets_by_account').on(table.corporateAccountId),
    index('relayer_wallets_replaced')
      .on(table.replacedAt)
      .where(sql`${table.replacedAt} is not null`),
    uniqueIndex('relayer_wallets_current')
      .on(table.corporateAccountId)
      .where(sql`${table.replacedAt} is null`),
  ],
);

/**
 * Keys of accounts, stored as hashes. A revoked key keeps its row: others descend from it, and log lines refer to it.
 */
export const accountKeys = pgTable(
  'account_keys',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    /** The key that created this one; null: an operator did. */
    parentId: recordId('parent_id').references((): AnyPgColumn => accountKeys.id),
    kind: text('kind').$type<'live' | 'test'>().notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the value of x-api-key, in hex. */
    hash: text('hash').notNull().unique(),
    scopes: text('scopes').array().$type<Scope[]>().notNull(),
    /** Ranges in CIDR; null: any address. */
    allowedAddresses: text('allowed_addresses').array(),
    expiresAt: instant('expires_at'),
    /** To the minute. */
    lastUsedAt: instant('last_used_at'),
    revokedAt: instant('revoked_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('account_keys_by_account').on(table.corporateAccountId, table.id)],
);

/** Who may burn the certificates of a contract, in the order of `BurnAuth` of ERC-5484. */
export const BURN_AUTHS = ['issuer', 'holder', 'both', 'neither'] as const;
export type BurnAuth = (typeof BURN_AUTHS)[number];

export type ErcStandard = '721' | '1155';
export type ContractType = 'standard' | 'certificate';

/** The catalogue of contracts. What came of a deployment is in the ledger. */
export const contracts = pgTable(
  'contracts',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    name: text('name'),
    symbol: text('symbol'),
    alias: text('alias'),
    ercStandard: text('erc_standard').$type<ErcStandard | 'Forwarder'>().notNull(),
    contractType: text('contract_type').$type<ContractType>(),
    status: text('status').$type<ContractStatus>().notNull(),
    currentOwnerAddress: text('current_owner_address').$type<Address>(),
    royaltyReceiver: text('royalty_receiver').$type<Address>(),
    royaltyFeeBps: integer('royalty_fee_bps'),
    /**
     * The one that it was deployed with. Of certificate contracts, the one from which they derive URIs; replies do not show
     * it.
     */
    metadataBaseUri: text('metadata_base_uri'),
    trustedForwarder: text('trusted_forwarder').$type<Address>(),
    /** Of certificate contracts that this service deploys; null for others. */
    burnAuth: text('burn_auth').$type<BurnAuth>(),
    transferOwnerAddress: text('transfer_owner_address').$type<Address>(),
    /** Null until ACTIVE. */
    contractAddress: text('contract_address').$type<LowerCaseAddress>(),
    /** The block at which a contract from elsewhere was checked; null for one that this service deploys. */
    registeredAtBlock: bigint('registered_at_block', { mode: 'number' }),
    /** Why a contract from elsewhere is not ACTIVE any more. */
    errorMessage: text('error_message'),
    ...timestamps,
  },
  (table) => [
    // On all chains: the public metadata path has none.
    uniqueIndex('contracts_address').on(table.contractAddress),
    index('contracts_by_account').on(table.corporateAccountId, table.id),
    index('contracts_by_chain').on(table.corporateAccountId, table.chainId, table.id),
    index('contracts_by_standard').on(table.corporateAccountId, table.ercStandard, table.id),
    // Few of an account's contracts: their page would read all.
    index('contracts_under_way')
      .on(table.corporateAccountId, table.id)
      .where(sql`${table.status} = 'DEPLOYING'`),
  ],
);

/** The document served by the public endpoint, in the form marketplaces expect. */
export interface TokenDocument {
  name: string;
  description?: string;
  image: string;
  external_url?: string;
  animation_url?: string;
  /** Six hex digits. */
  background_color?: string;
  attributes: { trait_type: string; value: string | number | boolean; display_type?: string }[];
  utility: { type: string; validation_url?: string; data: Record<string, unknown> };
}

/**
 * The first characters of the value of a document's first trait of this name; null if it has none. One more than GS1
 * allows, since the value is of any length, and an entry of an index is not.
 */
const traitOf = (name: 'GTIN' | 'Serial Number', characters: number) =>
  sql`left(jsonb_path_query_first(standard_fields, ${sql.raw(`'$.attributes[*] ? (@.trait_type == "${name}").value'`)}) #>> '{}', ${sql.raw(String(characters))})`;

/** The product that a document names, by GTIN and serial number. */
export const productGtin = traitOf('GTIN', 15);
export const productSerial = traitOf('Serial Number', 21);

/** Token metadata: created first, linked to a token when its mint is settled. */
export const metadata = pgTable(
  'metadata',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    /** Null until a mint is confirmed. */
    contractAddress: text('contract_address').$type<LowerCaseAddress>(),
    /** Decimal; null until a mint is confirmed. */
    tokenId: text('token_id'),
    schemaVersion: text('schema_version').notNull(),
    /** All that requests say of the token; the form of requests and replies is derived from it. */
    standardFields: jsonb('standard_fields').$type<TokenDocument>().notNull(),
    currentStatus: text('current_status').generatedAlwaysAs(
      sql`case when jsonb_typeof(standard_fields #> '{utility,data,status}') = 'string'
        then standard_fields #>> '{utility,data,status}' end`,
    ),
    metadataHash: text('metadata_hash').$type<Hex>(),
    linkedAt: instant('linked_at'),
    /** From 1; raised by every change of the document. */
    version: integer('version').notNull().default(1),
    /** Since when it cannot be edited any more; null while it can. */
    frozenAt: instant('frozen_at'),
    ...timestamps,
  },
  (table) => [
    index('metadata_by_token').on(table.contractAddress, table.tokenId, table.linkedAt),
    index('metadata_by_account').on(table.corporateAccountId, table.id),
    index('metadata_by_contract')
      .on(table.contractAddress, table.linkedAt, table.id)
      .where(sql`${table.contractAddress} is not null`),
    index('metadata_by_product')
      .on(productGtin, productSerial, table.corporateAccountId, table.linkedAt, table.id)
      .where(sql`${table.contractAddress} is not null and ${productGtin} is not null`),
  ],
);

/** Earlier versions of metadata documents, each stored by the change that replaced it. Rows are only added. */
export const metadataVersions = pgTable(
  'metadata_versions',
  {
    /** Of the change that replaced it. */
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    metadataId: recordId('metadata_id')
      .notNull()
      .references(() => metadata.id),
    version: integer('version').notNull(),
    schemaVersion: text('schema_version').notNull(),
    currentStatus: text('current_status'),
    /**
     * Null if it differs from the next version by its status alone: the rest is in the next version that has it, or
     * else in the document.
     */
    standardFields: jsonb('standard_fields').$type<TokenDocument>(),
    replacedAt: instant('replaced_at').notNull(),
    /** Who replaced it; null when unknown. */
    replacedBy: text('replaced_by').$type<AuditActor>(),
    /** Null unless a key of the account was used. */
    replacedByKeyId: recordId('replaced_by_key_id'),
  },
  (table) => [
    uniqueIndex('metadata_versions_of_document').on(table.metadataId, table.version),
    index('metadata_versions_whole')
      .on(table.metadataId, table.version)
      .where(sql`${table.standardFields} is not null`),
  ],
);

/** What the public document of a collection says, in the form of ERC-7572. */
export interface CollectionDocument {
  name: string;
  symbol?: string;
  description?: string;
  image?: string;
  banner_image?: string;
  featured_image?: string;
  external_link?: string;
  /** EIP-55 checksummed. */
  collaborators?: Address[];
}

/** Every version of what contracts say of their collections; the highest is the current one. Rows are only added. */
export const collectionVersions = pgTable(
  'collection_versions',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    contractId: recordId('contract_id')
      .notNull()
      .references(() => contracts.id),
    /** From 1. */
    version: integer('version').notNull(),
    document: jsonb('document').$type<CollectionDocument>().notNull(),
    createdAt: instant('created_at').notNull(),
    /** Who made it; null when unknown. */
    createdBy: text('created_by').$type<AuditActor>(),
    /** Null unless a key of the account was used. */
    createdByKeyId: recordId('created_by_key_id'),
  },
  (table) => [
    uniqueIndex('collection_versions_of_contract').on(table.contractId, table.version),
    index('collection_versions_by_key')
      .on(table.createdByKeyId)
      .where(sql`${table.createdByKeyId} is not null`),
  ],
);

/** The statuses that may follow each status of a utility type; a status with none is final. */
export type StatusTransitions = Readonly<Record<string, readonly string[]>>;

/** Rules for the statuses of an account's metadata, for main chains (`live`) and for test chains. */
export const statusRules = pgTable(
  'status_rules',
  {
    corporateAccountId: accountId(),
    kind: text('kind').$type<'live' | 'test'>().notNull(),
    /** By utility type. */
    rules: jsonb('rules').$type<Readonly<Partial<Record<string, StatusTransitions>>>>().notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.corporateAccountId, table.kind] })],
);

/** The states of orders that have ended without their effect. */
export const undone = literals(['FAILED', 'CANCELLED']);

/** The states of unfinished orders. */
export const underWay = literals(UNFINISHED_STATUSES);

/** Mints whose receiver is named by whoever has their link: one row for each such minting order. */
export const claims = pgTable(
  'claims',
  {
    /** The minting order's id. Its receiver is the zero address until it is claimed. */
    id: recordId('id')
      .primaryKey()
      .references(() => orders.id),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    contractAddress: text('contract_address').$type<LowerCaseAddress>().notNull(),
    /** SHA-256 of the link's secret, in hex. */
    secretHash: text('secret_hash').notNull(),
    /** HMAC-SHA256 of the PIN with the link's secret as the key, in hex; null without a PIN. */
    pinHash: text('pin_hash'),
    /** How many wrong PINs were sent. */
    pinFailures: integer('pin_failures').notNull().default(0),
    expiresAt: instant('expires_at').notNull(),
    /** When the receiver was named; null until then. */
    claimedAt: instant('claimed_at'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('claims_by_account').on(table.corporateAccountId, table.id),
    index('claims_by_contract').on(table.contractAddress, table.corporateAccountId, table.id),
  ],
);

const activeImportStatuses = literals(ACTIVE_IMPORT_STATUSES);

/** Files of metadata and mints that accounts have uploaded. */
export const imports = pgTable(
  'imports',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    /** Null if it only has metadata. */
    contractAddress: text('contract_address').$type<LowerCaseAddress>(),
    kind: text('kind').$type<ImportKind>().notNull(),
    status: text('status').$type<ImportStatus>().notNull(),
    /** The names of the columns; null for JSON lines. */
    columns: jsonb('columns').$type<readonly string[]>(),
    /** The first rows, as they were read. */
    preview: jsonb('preview').$type<readonly ImportedRow[]>().notNull().default([]),
    /** What the rows that are stored count toward the account's limit; while it is uploaded, the most they may. */
    bytes: integer('bytes').notNull(),
    rows: integer('rows').notNull().default(0),
    chunks: integer('chunks').notNull().default(0),
    /** The place of the chunk that is checked or run next. */
    cursor: integer('cursor').notNull().default(0),
    rowsChecked: integer('rows_checked').notNull().default(0),
    faultyRows: integer('faulty_rows').notNull().default(0),
    faultCount: integer('fault_count').notNull().default(0),
    /** The first faults that the check has found. */
    faults: jsonb('faults').$type<readonly ImportFault[]>().notNull().default([]),
    accepted: integer('accepted').notNull().default(0),
    refused: integer('refused').notNull().default(0),
    caller: jsonb('caller').$type<ImportCaller>().notNull(),
    /** Why it is waiting; null if it is not. */
    waiting: jsonb('waiting').$type<ImportWait>(),
    /** Not worked on before this time. */
    nextTryAt: instant('next_try_at').notNull(),
    startedAt: instant('started_at'),
    endedAt: instant('ended_at'),
    ...timestamps,
  },
  (table) => [
    index('imports_by_account').on(table.corporateAccountId, table.id),
    index('imports_with_files')
      .on(table.corporateAccountId, table.bytes)
      .where(sql`${table.bytes} > 0`),
    index('imports_due')
      .on(table.nextTryAt)
      .where(sql`${table.status} in ${activeImportStatuses}`),
    index('imports_idle')
      .on(table.updatedAt)
      .where(sql`${table.status} in ${literals(IDLE_IMPORT_STATUSES)}`),
    index('imports_ended')
      .on(table.updatedAt)
      .where(sql`${table.status} in ${literals(ENDED_IMPORT_STATUSES)}`),
  ],
);

/** The rows of an import, a hundred at a time. */
export const importChunks = pgTable(
  'import_chunks',
  {
    importId: recordId('import_id')
      .notNull()
      .references(() => imports.id),
    /** From 0. */
    place: integer('place').notNull(),
    /** The number of each row in the file. */
    numbers: integer('numbers').array().notNull(),
    /** JSON: the cells of each row. Null once they are accepted or refused. */
    cells: text('cells'),
    /** Which tokens and documents the rows use. Null before the check, and once they are accepted or refused. */
    uses: jsonb('uses').$type<readonly ImportedUse[]>(),
    /** When it was first run; the ids of what its rows create derive from it. */
    runAt: instant('run_at'),
    /** For which faults of the check rows are left out; once they are run, why they are refused. */
    refusals: jsonb('refusals').$type<readonly ImportFault[]>().notNull().default([]),
  },
  (table) => [primaryKey({ columns: [table.importId, table.place] })],
);

/** The places of certificates in the status lists of their account; a place is taken when it is first asked for. */
export const credentialStatuses = pgTable(
  'credential_statuses',
  {
    contractAddress: text('contract_address').$type<LowerCaseAddress>().notNull(),
    tokenId: text('token_id').notNull(),
    corporateAccountId: accountId(),
    /** From 0, without gaps; never given away again. */
    number: integer('number').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.contractAddress, table.tokenId] }),
    uniqueIndex('credential_statuses_of_account').on(table.corporateAccountId, table.number),
  ],
);

/**
 * State of a signed request:
 * - `open`: its order is unfinished and holds the signer's nonce
 * - `mined`: a transaction that submitted it to the forwarder is mined, and the forwarder has counted the nonce
 * - `released`: its order failed before anything was signed, or was cancelled; the nonce is free
 */
type ForwardRequestState = 'open' | 'mined' | 'released';

/** Signed forward requests: one row for each order that a signer's request became. */
export const forwardRequests = pgTable(
  'forward_requests',
  {
    orderId: recordId('order_id').primaryKey(),
    /** Name of an order kind. */
    kind: text('kind').notNull(),
    /** `cancel` only uses up the nonce, and competes for it with a `call`. */
    purpose: text('purpose').$type<'call' | 'cancel'>().notNull().default('call'),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    forwarderAddress: text('forwarder_address').$type<LowerCaseAddress>().notNull(),
    signerAddress: text('signer_address').$type<LowerCaseAddress>().notNull(),
    nonce: numeric('nonce', { precision: 78, scale: 0 }).notNull(),
    /** The called contract. */
    contractAddress: text('contract_address').$type<LowerCaseAddress>().notNull(),
    gasLimit: bigint('gas_limit', { mode: 'number' }).notNull(),
    data: text('data').$type<Hex>().notNull(),
    /** In the only form the forwarder accepts. */
    signature: text('signature').$type<Hex>().notNull(),
    /** The deadline that `data` ends with: nothing is signed for the request after it. Null for none. */
    deadline: instant('deadline'),
    state: text('state').$type<ForwardRequestState>().notNull(),
    /** The block at which acceptance read the signer's nonce. */
    readAtBlock: bigint('read_at_block', { mode: 'number' }).notNull(),
    ...timestamps,
  },
  (table) => [
    // A signer's nonce belongs to at most one open order of each purpose, no matter who posts the request, or how
    // often.
    uniqueIndex('forward_requests_open')
      .on(table.chainId, table.signerAddress, table.forwarderAddress, table.nonce, table.purpose)
      .where(sql`${table.state} = 'open'`),
    index('forward_requests_by_nonce').on(table.chainId, table.signerAddress, table.forwarderAddress, table.nonce),
    index('forward_requests_by_signature').on(table.signature),
  ],
);

/** Stored responses for requests with an Idempotency-Key. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /**
     * Whose the key is: an account's id, with the caller after a colon unless it was a global API key; or `operator`.
     */
    corporateAccountId: text('corporate_account_id').notNull(),
    key: text('key').notNull(),
    requestHash: text('request_hash').notNull(),
    /** Random: the ids of what the request creates are derived from it. */
    idSeed: text('id_seed').notNull(),
    /** Null until the response is stored, which is after the change. */
    statusCode: integer('status_code'),
    body: text('body'),
    /** Whether the body has a secret and is stored encrypted. */
    isEncrypted: boolean('is_encrypted').notNull().default(false),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.corporateAccountId, table.key] }),
    index('idempotency_keys_age').on(table.createdAt),
    index('idempotency_keys_encrypted')
      .on(table.createdAt)
      .where(sql`${table.isEncrypted}`),
  ],
);

/** States of transactions that have not ended. */
export const unfinishedStates = literals(UNFINISHED_STATES);

/** States of transactions that have ended. */
export const endStates = literals(END_STATES);

/** What the API shows orders as: each has routes and a list. */
export const ORDER_RESOURCES = [
  'contracts',
  'minting-orders',
  'transfer-orders',
  'burn-orders',
  'certificate-revocations',
  'ownership-transfers',
  'chain-notifications',
  'base-uri-changes',
] as const;

export type OrderResourceName = (typeof ORDER_RESOURCES)[number];

/** A condition on rows of the ledger, as in the indexes: a constant, or the planner could not prove it. */
export const ofResource = (name: OrderResourceName) => sql.raw(`resource = '${name}'`);

/** Mints that occupy their metadata: ERC-721 orders that have succeeded or still may. */
export const occupies = sql`erc_standard = '721' and status not in ${undone}`;

/** Mints of ERC-1155 units that have succeeded or still may. */
const usesUnits = sql`erc_standard = '1155' and status not in ${undone}`;

/** When an order last changed, for its owner: until it has ended, its first claim counts, which changes nothing else. */
export const orderUpdatedAt = sql.raw('greatest("updated_at", case when "completed_at" is null then "claimed_at" end)');

/** Its state for its owner, from what the engine stores. */
const orderStatus = sql.raw(`case
  when state in ('confirmed', 'failed', 'cancelled') then upper(state)
  when state = 'signed' or sent_at is not null then 'SENT'
  when claimed_at is not null then 'PROCESSING'
  else 'PENDING' end`);

/**
 * The ledger: a row for each order, with the transaction that executes it, written in the SQL transaction that accepts
 * the order. A bundle has a row and no order.
 */
export const orders = pgTable(
  'orders',
  {
    id: recordId('id').primaryKey(),
    /** Name of an order kind. */
    kind: text('kind').notNull(),
    /** The order's id, which is the row's, but for a deployment: its contract's. Of a bundle, the first that it carries. */
    orderId: recordId('order_id').notNull(),
    /** Null for a bundle. */
    resource: text('resource').$type<OrderResourceName>(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    /** Empty for an order that had ended before this deployment took up its account. */
    walletAddress: text('wallet_address').$type<LowerCaseAddress>().notNull(),
    /** Of the request that ordered it; null for what the service does by itself. */
    trace: text('trace').$type<Trace>(),
    contractId: recordId('contract_id').references(() => contracts.id),
    /** May be another account's contract, or one that is not registered. */
    contractAddress: text('contract_address').$type<LowerCaseAddress>(),
    ercStandard: text('erc_standard').$type<ErcStandard>(),
    tokenId: text('token_id'),
    amount: bigint('amount', { mode: 'number' }),
    /** Who gets the token, or the contract. */
    receiverAddress: text('receiver_address').$type<Address>(),
    /** Who has the token until then. */
    holderAddress: text('holder_address').$type<Address>(),
    metadataId: recordId('metadata_id').references(() => metadata.id),
    /** What only its kind knows, and nothing is searched by. */
    details: jsonb('details').$type<Readonly<Record<string, string>>>(),
    state: text('state').$type<TransactionState>().notNull(),
    status: text('status').$type<OrderStatus>().notNull().generatedAlwaysAs(orderStatus),
    /** Incremented by every change of state, nonce or attempts; such a change requires the version that was read. */
    version: integer('version').notNull().default(0),
    /** The nonce of all its attempts, except those whose nonce is proven lost. Kept when the transaction ends. */
    nonce: bigint('nonce', { mode: 'number' }),
    /**
     * The bundle that carries it: a transaction without an order, with the same nonce, whose attempts are also its own.
     * Null: it has attempts of its own, or none.
     */
    bundleId: recordId('bundle_id'),
    /** Its place among those of the bundle's call, from 0, and their number. */
    bundlePlace: integer('bundle_place'),
    bundleSize: integer('bundle_size'),
    /** The bundle that carried it before and did not carry it out: it goes alone from then on. */
    earlierBundleId: recordId('earlier_bundle_id'),
    /** Not claimed before this time. */
    nextTryAt: instant('next_try_at').notNull(),
    /** When it was first claimed. */
    claimedAt: instant('claimed_at'),
    /** When its first bytes were stored; kept if they are lost. */
    sentAt: instant('sent_at'),
    /** Claims since the last change of state. */
    tries: integer('tries').notNull().default(0),
    holdReason: text('hold_reason').$type<HoldReason>(),
    /** Details of the hold as text. */
    holdDetail: text('hold_detail'),
    /** When it was first held for this reason. */
    heldSince: instant('held_since'),
    /** A revert at a lower block is not definitive, because what the order depends on may be missing there. */
    notBeforeBlock: bigint('not_before_block', { mode: 'number' }),
    cancelRequestedAt: instant('cancel_requested_at'),
    /**
     * Until when someone else may let it go ahead: a second person who approves it, or the holder of a claim's link who
     * names its receiver. Null: it needs neither, or no longer. Not claimed by a driver before this time.
     */
    approvalUntil: instant('approval_until'),
    /** Why no node will ever accept its `effect`; a final `cancel` ends it as `failed` with this reason. */
    refusal: text('refusal'),
    /** The mined transaction that ended it: one of its attempts, or a third party's that had the effect. */
    txHash: text('tx_hash').$type<Hex>(),
    blockNumber: bigint('block_number', { mode: 'number' }),
    blockHash: text('block_hash').$type<Hex>(),
    /**
     * Wei: the most that its attempts may cost; once it has ended, what it has cost. Null before the first attempt with
     * its nonce.
     */
    spentWei: numeric('spent_wei', { precision: 78, scale: 0 }),
    /** When the first attempt with its nonce was stored, which is the day that its cost counts in. */
    spentAt: instant('spent_at'),
    /** Whether it has ended and its block can no longer be reorganized out. */
    isFinal: boolean('is_final').notNull().default(false),
    /** How often it has ended; more than once after a reorganization. */
    endings: integer('endings').notNull().default(0),
    /**
     * The SQL batch that last claimed, ended or reopened it; the batch's other statements are restricted to this mark.
     */
    batchId: recordId('batch_id'),
    gasUsed: text('gas_used'),
    ...feeColumns,
    errorMessage: text('error_message'),
    /** When it ended; null if that was reorganized out. */
    completedAt: instant('completed_at'),
    ...timestamps,
  },
  (table) => [
    // The order comes first, so that it is found without its kind.
    uniqueIndex('orders_by_order').on(table.orderId, table.kind),
    // Ended rows keep their nonce, because it is used.
    uniqueIndex('orders_nonce')
      .on(table.chainId, table.walletAddress, table.nonce)
      .where(sql`${table.bundleId} is null`),
    index('orders_bundle')
      .on(table.bundleId)
      .where(sql`${table.bundleId} is not null`),
    index('orders_earlier_bundle')
      .on(table.earlierBundleId)
      .where(sql`${table.earlierBundleId} is not null`),
    index('orders_waiting')
      .on(table.chainId, table.walletAddress, table.nextTryAt)
      .where(sql`${table.state} = 'waiting'`),
    index('orders_signed')
      .on(table.chainId, table.walletAddress, table.nonce)
      .where(sql`${table.state} = 'signed'`),
    index('orders_not_final')
      .on(table.chainId, table.walletAddress, table.blockNumber)
      .where(sql`${table.state} = 'confirmed' and not ${table.isFinal}`),
    index('orders_unfinished')
      .on(table.corporateAccountId, table.chainId)
      .where(sql`${table.state} in ${unfinishedStates}`),
    index('orders_spent')
      .on(table.corporateAccountId, table.chainId, table.spentAt)
      .where(sql`${table.spentAt} is not null`),
    index('orders_of_account').on(table.corporateAccountId, table.id),
    index('orders_by_account').on(table.corporateAccountId, table.resource, table.id),
    index('orders_by_status').on(table.corporateAccountId, table.resource, table.status, table.id),
    // The account comes second, so that the operator's search can go from account to account.
    index('orders_by_contract').on(table.contractAddress, table.corporateAccountId, table.resource, table.id),
    index('orders_by_receiver')
      .on(sql`lower(${table.receiverAddress})`, table.corporateAccountId, table.resource, table.id)
      .where(sql`${table.receiverAddress} is not null`),
    index('orders_by_holder')
      .on(sql`lower(${table.holderAddress})`, table.corporateAccountId, table.resource, table.id)
      .where(sql`${table.holderAddress} is not null`),
    index('orders_by_token').on(table.contractAddress, table.tokenId, table.resource, table.id),
    index('orders_by_tx')
      .on(table.txHash)
      .where(sql`${table.txHash} is not null`),
    // Occupancy: an ERC-721 metadata document has at most one order that has succeeded or still may.
    uniqueIndex('minting_orders_occupancy')
      .on(table.metadataId)
      .where(sql`${ofResource('minting-orders')} and ${occupies}`),
    index('minting_orders_units')
      .on(table.metadataId, table.status)
      .where(sql`${ofResource('minting-orders')} and ${usesUnits}`),
    index('minting_orders_unfinished')
      .on(table.contractAddress, table.tokenId)
      .where(sql`${ofResource('minting-orders')} and status in ${underWay}`),
    index('minting_orders_recent').on(orderUpdatedAt).where(ofResource('minting-orders')),
  ],
);

/** Decisions of second persons, made or awaited. */
export const approvals = pgTable(
  'approvals',
  {
    /** The order's id, if there is an order. */
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    action: text('action').$type<ApprovalAction>().notNull(),
    /** Name of the order's kind; null for `switch-off`. */
    kind: text('kind'),
    /** Null for `switch-off`. */
    chainId: text('chain_id'),
    /** Null: a global API key. */
    requestedBy: recordId('requested_by').references(() => accountKeys.id),
    expiresAt: instant('expires_at').notNull(),
    /** Null until one is made; also if the order was cancelled or nobody decided in time. */
    decision: text('decision').$type<'approved' | 'refused'>(),
    decidedAt: instant('decided_at'),
    /** Null: no key, but the operator with the admin key. */
    decidedBy: recordId('decided_by').references(() => accountKeys.id),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('approvals_by_account').on(table.corporateAccountId, table.id),
    index('approvals_undecided')
      .on(table.corporateAccountId, table.id)
      .where(sql`${table.decision} is null`),
  ],
);

/** Signed bytes of a transaction. Append-only; an attempt whose nonce differs from its transaction's is proven lost. */
export const attempts = pgTable(
  'attempts',
  {
    transactionId: recordId('transaction_id')
      .notNull()
      .references(() => orders.id),
    /** From 1. */
    number: integer('number').notNull(),
    nonce: bigint('nonce', { mode: 'number' }).notNull(),
    hash: text('hash').$type<Hex>().notNull().unique(),
    /** Empty once a holder that it names is erased. */
    raw: text('raw').$type<Hex>().notNull(),
    /** `effect` executes the order; `cancel` is a zero-value transfer to the wallet itself. */
    purpose: text('purpose').$type<'effect' | 'cancel'>().notNull(),
    /** Gas limit. */
    gas: bigint('gas', { mode: 'number' }).notNull(),
    /** Wei. */
    maxFeePerGas: numeric('max_fee_per_gas', { precision: 78, scale: 0 }).notNull(),
    /** Wei. */
    maxPriorityFeePerGas: numeric('max_priority_fee_per_gas', { precision: 78, scale: 0 }).notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.transactionId, table.number] })],
);

/** Limits of an account; null where there is none. Amounts are in wei, in decimal; addresses in lower case. */
export interface StoredLimits {
  /** Of a UTC day. */
  readonly ordersPerDay: number | null;
  readonly pendingOrders: number | null;
  readonly receivers: readonly string[] | null;
  readonly contracts: readonly string[] | null;
  readonly chains: readonly string[] | null;
  /** By chain id. */
  readonly spend: Readonly<Record<string, StoredSpendLimits>>;
}

/** What an account may spend on one chain. */
export interface StoredSpendLimits {
  /** Of a UTC day. */
  readonly perDay: string | null;
  readonly perOrder: string | null;
  /** For a unit of gas. */
  readonly gasPrice: string | null;
}

/** Accounts with limits. Who counts against a limit locks the row first. */
export const accountLimits = pgTable('account_limits', {
  corporateAccountId: recordId('corporate_account_id')
    .primaryKey()
    .references(() => corporateAccounts.id),
  limits: jsonb('limits').$type<StoredLimits>().notNull(),
  /** Until when no further `limit.reached` is stored, by limit: ISO 8601. */
  notified: jsonb('notified').$type<Readonly<Record<string, string>>>().notNull().default({}),
  /** The UTC day whose orders are counted in `ordersOfDay`; null: they must be counted anew. */
  ordersDay: instant('orders_day'),
  ordersOfDay: bigint('orders_of_day', { mode: 'number' }).notNull().default(0),
  updatedAt: instant('updated_at').notNull(),
});

/** Chains on which the operator has paused all accounts. */
export const pausedChains = pgTable('paused_chains', {
  chainId: text('chain_id').primaryKey(),
  pausedAt: instant('paused_at').notNull(),
});

/**
 * Condition of a lane:
 * - `ok`: nothing blocks it
 * - `stuck`: its lowest nonce in flight is not mined, or the chain does not answer
 * - `fee-capped`: the chain's fees are above the cap
 * - `empty`: the wallet cannot pay for the waiting transactions
 */
export type LaneCondition = 'ok' | 'stuck' | 'fee-capped' | 'empty';

/** An observation of a wallet at the chain's head: the block number and the wallet's mined transaction count. */
export type HeadObservation = readonly [block: number, count: number];

/** One wallet on one chain. */
export const lanes = pgTable(
  'lanes',
  {
    chainId: text('chain_id').notNull(),
    walletAddress: text('wallet_address').$type<LowerCaseAddress>().notNull(),
    /**
     * The nonce after the highest one of this wallet that was read in a final block; no lower nonce is assigned. Never
     * decreases.
     */
    floor: bigint('floor', { mode: 'number' }).notNull().default(0),
    /** The most recent observations, oldest first. */
    observations: jsonb('observations').$type<HeadObservation[]>().notNull().default([]),
    state: text('state').$type<LaneCondition>().notNull().default('ok'),
    /** The order that the lane's state refers to. */
    orderId: recordId('order_id'),
    reason: text('reason'),
    since: instant('since'),
    /** When it was last driven. */
    drivenAt: instant('driven_at'),
    /**
     * When first attempts were last stored, or the database was last compared with the chain. Never decreases, so a
     * database whose time is before the one that the lane's object remembers was set back.
     */
    signedAt: instant('signed_at'),
    /** When the cleanup job last woke it. */
    wokenAt: instant('woken_at'),
    /** When the account was last notified that the lane is stuck; null once it is not. */
    stuckNotifiedAt: instant('stuck_notified_at'),
    /** When the account was last notified that the wallet is low; null once it is not. */
    lowNotifiedAt: instant('low_notified_at'),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.walletAddress] })],
);

/**
 * The epoch of this database, in at most one row. Drivers that learned another one can claim and store nothing more:
 * see `npm run nft -- fence`. Without a row the epoch is the empty text.
 */
export const fence = pgTable(
  'fence',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    epoch: text('epoch').notNull(),
    raisedAt: instant('raised_at').notNull(),
  },
  (table) => [check('fence_one_row', sql`${table.isOnly}`)],
);

/**
 * State of an endpoint:
 * - `ENABLED`: events are delivered
 * - `DISABLED`: none are delivered
 * - `DELETED`: as DISABLED, for good; the row is kept for its deliveries
 */
type EndpointStatus = 'ENABLED' | 'DISABLED' | 'DELETED';

/** Where the events of an account are delivered. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    /** `operator`: the account's webhook, which the operator's command sets; every account has one. */
    managedBy: text('managed_by').$type<'operator' | 'account'>().notNull(),
    /** Null: the setting WEBHOOK_URL. */
    url: text('url'),
    description: text('description'),
    /** The kind of chains whose events it gets; null for both. */
    chainKind: text('chain_kind').$type<ChainDefinition['kind']>(),
    /** The event types that it gets; null for the ends of all orders. */
    eventTypes: text('event_types').array(),
    status: text('status').$type<EndpointStatus>().notNull().default('ENABLED'),
    /** Identifies the secret, so that a retried rotation finds its own. */
    secretId: recordId('secret_id').notNull(),
    /** Encrypted for this endpoint. */
    secret: text('secret').notNull(),
    /** The secret before the last rotation. Until it expires, messages are signed with both. */
    secretPrevious: text('secret_previous'),
    secretPreviousExpiresAt: instant('secret_previous_expires_at'),
    ...timestamps,
  },
  (table) => [
    uniqueIndex('webhook_endpoints_of_operator')
      .on(table.corporateAccountId)
      .where(sql`${table.managedBy} = 'operator'`),
    index('webhook_endpoints_by_account').on(table.corporateAccountId, table.id),
  ],
);

/** Events, each stored in the SQL transaction of what it reports. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    type: text('type').notNull(),
    /** Null for events that are not about an order. */
    relatedOrderId: recordId('related_order_id'),
    /** The exact body of every attempt. */
    payload: text('payload').notNull(),
    ...timestamps,
  },
  (table) => [index('webhook_events_by_order').on(table.relatedOrderId)],
);

/** The states of unfinished deliveries. */
export const undelivered = literals(UNFINISHED_DELIVERY_STATUSES);

/** The states of deliveries that were not accepted, at least once. */
export const failing = literals(['FAILED', 'RETRYING'] satisfies DeliveryStatus[]);

/** The delivery of an event to an endpoint: one row for each endpoint that gets the event. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: recordId('id').primaryKey(),
    webhookEventId: recordId('webhook_event_id')
      .notNull()
      .references(() => webhookEvents.id),
    webhookEndpointId: recordId('webhook_endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.id),
    corporateAccountId: accountId(),
    /** As in the event. */
    eventType: text('event_type').notNull(),
    /** As in the event. */
    relatedOrderId: recordId('related_order_id'),
    /** The chain that the event is about; null if it is about none. */
    chainId: text('chain_id'),
    status: text('status').$type<DeliveryStatus>().notNull().default('PENDING'),
    /** Attempts started. */
    attempts: integer('attempts').notNull().default(0),
    /** The number of attempts after which it ends; a replay raises it. */
    attemptLimit: integer('attempt_limit').notNull(),
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    /** The last request that replayed it. */
    replayId: recordId('replay_id'),
    ...timestamps,
  },
  (table) => [
    uniqueIndex('webhook_deliveries_of_event').on(table.webhookEventId, table.webhookEndpointId),
    index('webhook_deliveries_unfinished_of_endpoint')
      .on(table.webhookEndpointId, table.nextAttemptAt)
      .where(sql`${table.status} in ${undelivered}`),
    index('webhook_deliveries_failing')
      .on(table.id)
      .where(sql`${table.status} in ${failing}`),
    index('webhook_deliveries_by_account').on(table.corporateAccountId, table.id),
    index('webhook_deliveries_by_status').on(table.corporateAccountId, table.status, table.id),
    index('webhook_deliveries_by_type').on(table.corporateAccountId, table.eventType, table.id),
    index('webhook_deliveries_by_endpoint').on(table.webhookEndpointId, table.id),
    index('webhook_deliveries_by_order').on(table.relatedOrderId),
    index('webhook_deliveries_by_replay')
      .on(table.replayId)
      .where(sql`${table.replayId} is not null`),
  ],
);

/** One row per delivery attempt. */
export const webhookLogs = pgTable(
  'webhook_logs',
  {
    id: recordId('id').primaryKey(),
    webhookDeliveryId: recordId('webhook_delivery_id')
      .notNull()
      .references(() => webhookDeliveries.id),
    corporateAccountId: accountId(),
    eventType: text('event_type').notNull(),
    targetUrl: text('target_url').notNull(),
    relatedOrderId: recordId('related_order_id'),
    /** Empty once the retention of bodies is over. */
    payloadSent: text('payload_sent').notNull(),
    status: text('status').$type<AttemptStatus>().notNull(),
    responseStatusCode: integer('response_status_code'),
    errorMessage: text('error_message'),
    attempt: integer('attempt').notNull(),
    ...timestamps,
  },
  (table) => [
    uniqueIndex('webhook_logs_attempt').on(table.webhookDeliveryId, table.attempt),
    index('webhook_logs_by_order').on(table.relatedOrderId),
    index('webhook_logs_recent').on(table.updatedAt),
    index('webhook_logs_bodies')
      .on(table.id)
      .where(sql`${table.payloadSent} <> ''`),
  ],
);

/** Files uploaded by accounts. */
export const assets = pgTable('assets', {
  id: recordId('id').primaryKey(),
  corporateAccountId: accountId(),
  originalFileName: text('original_file_name').notNull(),
  s3Key: text('s3_key').notNull().unique(),
  url: text('url').notNull(),
  mimeType: text('mime_type').notNull(),
  sizeBytes: integer('size_bytes').notNull(),
  ...timestamps,
});

/**
 * Who asked for a change:
 * - `key`: a holder of a key of the account
 * - `global`: a holder of one of GLOBAL_SECRET_KEY
 * - `admin`: a holder of ADMIN_SECRET_KEY
 * - `command`: an operator with access to the database, by `npm run corporate` or `npm run nft -- holder`
 */
export type AuditActor = 'key' | 'global' | 'admin' | 'command';

/**
 * One row for each change that was asked for. Append-only: a trigger rejects everything else, and the Worker's role
 * lacks the rights.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: recordId('id').primaryKey(),
    /**
     * No foreign key: the log outlives what it names. Null when the change is of no account, or of none that exists.
     */
    corporateAccountId: recordId('corporate_account_id'),
    actor: text('actor').$type<AuditActor>().notNull(),
    /** Null unless a key of the account was used. */
    keyId: recordId('key_id'),
    /** The caller's IP address; null when unknown, and for a command. */
    address: text('address'),
    /** X-Request-Id; null for a command. */
    requestId: text('request_id'),
    /** The HTTP method; `COMMAND` for a command. */
    method: text('method').notNull(),
    /** The path with the names of its parameters; the name of the command. */
    route: text('route').notNull(),
    /** The records that were created or changed, a chain by its chain id; of a refused request, the one in its path. */
    resourceIds: text('resource_ids').array().notNull(),
    /** SHA-256 of the body, in hex; null when none was read, and where it would tell a secret. */
    bodyHash: text('body_hash'),
    /** Of the reply; null for a command, whose row commits with its change. */
    statusCode: integer('status_code'),
    /** Whether it commits with a change; false for a request that changed nothing, or failed. */
    isChange: boolean('is_change').notNull().default(true),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('audit_log_by_account').on(table.corporateAccountId, table.id),
    index('audit_log_by_account_status').on(table.corporateAccountId, table.statusCode, table.id),
    index('audit_log_by_account_route').on(table.corporateAccountId, table.route, table.id),
    index('audit_log_by_account_actor').on(table.corporateAccountId, table.actor, table.id),
    index('audit_log_by_status').on(table.statusCode, table.id),
    index('audit_log_by_key').on(table.keyId, table.id),
    index('audit_log_by_resource').using('gin', table.resourceIds),
    index('audit_log_unchanged')
      .on(table.corporateAccountId, table.keyId, table.route, table.statusCode, table.id)
      .where(sql`not ${table.isChange}`),
  ],
);

/**
 * What the instances of the Worker have counted, added up: a row for each kind of thing that is counted, none for a
 * caller.
 */
export const tallies = pgTable(
  'tallies',
  {
    name: text('name').$type<TallyName>().notNull(),
    subject: text('subject').notNull(),
    /** Milliseconds; 0 for what is above all bounds, or has no length. */
    bound: integer('bound').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    milliseconds: bigint('milliseconds', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.subject, table.bound] })],
);

/** A block, by its number and hash. */
export type IndexedBlock = readonly [number: number, hash: Hex];

/** How far the index of token transfers has come on each chain. */
export const indexedChains = pgTable('indexed_chains', {
  chainId: text('chain_id').primaryKey(),
  /** Of the last step; one is stored only if no other has been since the row was read. */
  stepId: recordId('step_id').notNull(),
  /** The block up to which contracts are indexed. */
  blockNumber: bigint('block_number', { mode: 'number' }).notNull(),
  blockHash: text('block_hash').$type<Hex>().notNull(),
  /** Blocks that earlier steps ended with, newest first, down to one that is final. */
  earlier: jsonb('earlier').$type<readonly IndexedBlock[]>().notNull().default([]),
  /** How many blocks are asked for at once. */
  rangeLength: integer('range_length').notNull(),
  /** Until when a run has the chain for itself; 1970 once it has given it back. */
  leasedUntil: instant('leased_until').notNull(),
});

/**
 * Why the transfers of a contract are no longer read:
 * - `TOO_MANY_TRANSFERS`: it reports more in a block or a day than are stored
 * - `UNREADABLE`: nodes refuse its logs of a block
 * - `RANGES`: it reports transfers of ranges of tokens (ERC-2309)
 */
export type IndexStop = 'TOO_MANY_TRANSFERS' | 'UNREADABLE' | 'RANGES';

/** Contracts whose transfers are indexed: the accounts' ACTIVE token contracts. */
export const indexedContracts = pgTable(
  'indexed_contracts',
  {
    contractId: recordId('contract_id')
      .primaryKey()
      .references(() => contracts.id),
    corporateAccountId: recordId('corporate_account_id').notNull(),
    chainId: text('chain_id').notNull(),
    contractAddress: text('contract_address').$type<LowerCaseAddress>().notNull(),
    /** The first block that is read: of the deployment, or of the registration. */
    firstBlock: bigint('first_block', { mode: 'number' }).notNull(),
    /** The next block to be read; null if the contract is as far as the chain. */
    nextBlock: bigint('next_block', { mode: 'number' }),
    /** Transfers up to this block get no events. */
    silentTo: bigint('silent_to', { mode: 'number' }).notNull(),
    /** Why nothing from `nextBlock` on is read; null if it is. */
    stop: text('stop').$type<IndexStop>(),
    /** The day, since 1970, in which transfers were stored last, and how many were. */
    day: bigint('day', { mode: 'number' }).notNull().default(0),
    transfersOfDay: integer('transfers_of_day').notNull().default(0),
  },
  (table) => [
    uniqueIndex('indexed_contracts_address').on(table.contractAddress),
    index('indexed_contracts_by_chain').on(table.chainId),
  ],
);

const indexedContract = () =>
  recordId('contract_id')
    .notNull()
    .references(() => indexedContracts.contractId, { onDelete: 'cascade' });

/** Where a log is. */
const logColumns = {
  chainId: text('chain_id').notNull(),
  blockNumber: bigint('block_number', { mode: 'number' }).notNull(),
  blockHash: text('block_hash').$type<Hex>().notNull(),
  logIndex: integer('log_index').notNull(),
  txHash: text('tx_hash').$type<Hex>().notNull(),
};

/** The transfers that indexed contracts report, mints and burns included. `holdings` follow from them. */
export const tokenTransfers = pgTable(
  'token_transfers',
  {
    ...logColumns,
    /** Among the transfers of one log, from 0. */
    position: integer('position').notNull(),
    contractId: indexedContract(),
    /** Decimal. */
    tokenId: text('token_id').notNull(),
    /** The zero address for a mint, and where a holder was erased. */
    fromAddress: text('from_address').$type<LowerCaseAddress>().notNull(),
    /** The zero address for a burn, and where a holder was erased. */
    toAddress: text('to_address').$type<LowerCaseAddress>().notNull(),
    amount: numeric('amount', { precision: 78, scale: 0 }).notNull(),
    /** Whether its event has been stored, or it gets none. */
    isNotified: boolean('is_notified').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.blockNumber, table.logIndex, table.position] }),
    index('token_transfers_by_contract').on(table.contractId),
    index('token_transfers_burns')
      .on(table.contractId, table.tokenId)
      .where(sql`${table.toAddress} = ${sql.raw(`'${zeroAddress}'`)}`),
    index('token_transfers_from').on(table.fromAddress),
    index('token_transfers_to').on(table.toAddress),
    index('token_transfers_not_notified')
      .on(table.contractId, table.blockNumber, table.logIndex, table.position)
      .where(sql`not ${table.isNotified}`),
  ],
);

/**
 * What holders have of each token: what they got less what they gave. Less than zero if a contract reports transfers of
 * what a holder does not have, or if its earlier transfers are not known.
 */
export const holdings = pgTable(
  'holdings',
  {
    /** Derived from contract, token and holder, so that an index that is built again has the same. */
    id: recordId('id').notNull(),
    corporateAccountId: recordId('corporate_account_id').notNull(),
    contractId: indexedContract(),
    chainId: text('chain_id').notNull(),
    contractAddress: text('contract_address').$type<LowerCaseAddress>().notNull(),
    /** Decimal. */
    tokenId: text('token_id').notNull(),
    holder: text('holder').$type<LowerCaseAddress>().notNull(),
    amount: numeric('amount').notNull(),
  },
  (table) => {
    const isHeld = sql`${table.amount} > 0`;
    return [
      primaryKey({ columns: [table.contractId, table.tokenId, table.holder] }),
      index('holdings_by_account').on(table.corporateAccountId, table.id).where(isHeld),
      index('holdings_by_chain').on(table.corporateAccountId, table.chainId, table.id).where(isHeld),
      index('holdings_by_contract').on(table.contractAddress, table.id).where(isHeld),
      index('holdings_of_contract_by_holder').on(table.contractAddress, table.holder, table.id).where(isHeld),
      index('holdings_by_token').on(table.contractAddress, table.tokenId, table.id).where(isHeld),
      index('holdings_by_holder').on(table.holder, table.corporateAccountId, table.id).where(isHeld),
      index('holdings_empty')
        .on(table.chainId)
        .where(sql`${table.amount} = 0`),
    ];
  },
);

/** The owners of indexed contracts, as they report them; the newest is the current one. */
export const contractOwners = pgTable(
  'contract_owners',
  {
    ...logColumns,
    contractId: indexedContract(),
    owner: text('owner').$type<LowerCaseAddress>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.blockNumber, table.logIndex] }),
    index('contract_owners_by_contract').on(table.contractId, table.blockNumber, table.logIndex),
  ],
);
