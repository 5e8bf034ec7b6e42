import { sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { ORDER_STATUS, UNFINISHED_STAGES } from '../../core/order-status.ts';
import type { ContractStatus, OrderStatus } from '../../core/order-status.ts';
import {
  bigint,
  boolean,
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
export const corporateAccounts = pgTable('corporate_accounts', {
  id: recordId('id').primaryKey(),
  corporateId: text('corporate_id').notNull().unique(),
  corporateName: text('corporate_name').notNull(),
  secretManagerKeyId: text('secret_manager_key_id').notNull(),
  /** EIP-55 checksummed. */
  walletAddress: text('wallet_address').$type<Address>().notNull(),
  walletLinkType: text('wallet_link_type').notNull().default('DEDICATED'),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  status: text('status').notNull().default('ACTIVE'),
  ...timestamps,
});

const accountId = () =>
  recordId('corporate_account_id')
    .notNull()
    .references(() => corporateAccounts.id);

export type ErcStandard = '721' | '1155';
export type ContractType = 'standard' | 'certificate';

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
    metadataBaseUri: text('metadata_base_uri'),
    trustedForwarder: text('trusted_forwarder').$type<Address>(),
    transferOwnerAddress: text('transfer_owner_address').$type<Address>(),
    /** Lower case; null until ACTIVE. */
    contractAddress: text('contract_address').$type<Address>(),
    deployTxHash: text('deploy_tx_hash').$type<Hex>(),
    deployGasUsed: text('deploy_gas_used'),
    ...feeColumns,
    errorMessage: text('error_message'),
    completedAt: instant('completed_at'),
    ...timestamps,
  },
  (table) => [
    uniqueIndex('contracts_address').on(table.chainId, table.contractAddress),
    index('contracts_by_account').on(table.corporateAccountId, table.id),
    index('contracts_unfinished')
      .on(table.updatedAt)
      .where(sql`${table.status} = 'DEPLOYING'`),
  ],
);

/** A trait, in the form of the API. */
interface StoredTrait {
  traitType: string;
  value: string | number | boolean;
  displayType?: string;
}

/** A utility, in the form of the API. */
interface StoredUtility {
  type: string;
  validationUrl?: string;
  data: Record<string, unknown>;
}

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

/** Token metadata: created first, linked to a token when its mint is settled. */
export const metadata = pgTable(
  'metadata',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    /** Lower case; null until a mint is confirmed. */
    contractAddress: text('contract_address').$type<Address>(),
    /** Decimal; null until a mint is confirmed. */
    tokenId: text('token_id'),
    name: text('name').notNull(),
    description: text('description'),
    imageUrl: text('image_url').notNull(),
    externalUrl: text('external_url'),
    attributes: jsonb('attributes').$type<StoredTrait[]>().notNull(),
    utility: jsonb('utility').$type<StoredUtility>().notNull(),
    schemaVersion: text('schema_version').notNull(),
    currentStatus: text('current_status'),
    standardFields: jsonb('standard_fields').$type<TokenDocument>().notNull(),
    metadataHash: text('metadata_hash').$type<Hex>(),
    linkedAt: instant('linked_at'),
    ...timestamps,
  },
  (table) => [
    index('metadata_by_token').on(table.contractAddress, table.tokenId, table.linkedAt),
    index('metadata_by_account').on(table.corporateAccountId, table.id),
  ],
);

/** Orders that occupy their metadata: ERC-721 orders that have succeeded or still may. */
export const occupies = sql.raw(`erc_standard = '721' and status not in ('FAILED', 'CANCELLED')`);

/** The states of unfinished orders. */
export const underWay = sql.raw(`(${UNFINISHED_STAGES.map((stage) => `'${ORDER_STATUS[stage]}'`).join(', ')})`);

export const mintingOrders = pgTable(
  'minting_orders',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    contractId: recordId('contract_id')
      .notNull()
      .references(() => contracts.id),
    chainId: text('chain_id').notNull(),
    contractAddress: text('contract_address').$type<Address>().notNull(),
    ercStandard: text('erc_standard').$type<ErcStandard>().notNull(),
    receiverAddress: text('receiver_address').$type<Address>().notNull(),
    tokenId: text('token_id').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    metadataId: recordId('metadata_id')
      .notNull()
      .references(() => metadata.id),
    /** Certificates only. */
    tokenUri: text('token_uri'),
    /** Certificates only. */
    metadataHash: text('metadata_hash').$type<Hex>(),
    status: text('status').$type<OrderStatus>().notNull(),
    mode: text('mode').$type<'direct' | 'relay'>().notNull(),
    txHash: text('tx_hash').$type<Hex>(),
    mintingGasUsed: text('minting_gas_used'),
    ...feeColumns,
    errorMessage: text('error_message'),
    completedAt: instant('completed_at'),
    ...timestamps,
  },
  (table) => [
    // Occupancy: an ERC-721 metadata document has at most one order that has succeeded or still may.
    uniqueIndex('minting_orders_occupancy').on(table.metadataId).where(occupies),
    index('minting_orders_units_under_way')
      .on(table.metadataId)
      .where(sql`${table.ercStandard} = '1155' and ${table.status} in ${underWay}`),
    index('minting_orders_by_account').on(table.corporateAccountId, table.id),
    index('minting_orders_by_status').on(table.corporateAccountId, table.status, table.id),
    index('minting_orders_by_contract').on(table.corporateAccountId, table.contractAddress, table.id),
    index('minting_orders_by_receiver').on(table.corporateAccountId, sql`lower(${table.receiverAddress})`, table.id),
    index('minting_orders_by_tx').on(table.txHash),
    index('minting_orders_by_token').on(table.contractAddress, table.tokenId, table.id),
    index('minting_orders_unfinished')
      .on(table.updatedAt)
      .where(sql`${table.status} in ${underWay}`),
    index('minting_orders_recent').on(table.updatedAt),
  ],
);

/** Transfers of a contract's ownership. */
export const ownershipTransfers = pgTable(
  'ownership_transfers',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    contractId: recordId('contract_id')
      .notNull()
      .references(() => contracts.id),
    chainId: text('chain_id').notNull(),
    contractAddress: text('contract_address').$type<Address>().notNull(),
    newOwnerAddress: text('new_owner_address').$type<Address>().notNull(),
    /** The API shows PENDING as QUEUED. */
    status: text('status').$type<OrderStatus>().notNull(),
    txHash: text('tx_hash').$type<Hex>(),
    transferGasUsed: text('transfer_gas_used'),
    ...feeColumns,
    errorMessage: text('error_message'),
    completedAt: instant('completed_at'),
    ...timestamps,
  },
  (table) => [
    index('ownership_transfers_unfinished')
      .on(table.updatedAt)
      .where(sql`${table.status} in ${underWay}`),
  ],
);

export const transferOrders = pgTable(
  'transfer_orders',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    /** Lower case. May be another account's contract, or one that is not registered. */
    contractAddress: text('contract_address').$type<Address>().notNull(),
    ercStandard: text('erc_standard').$type<ErcStandard>().notNull(),
    from: text('from').$type<Address>().notNull(),
    to: text('to').$type<Address>().notNull(),
    tokenId: text('token_id').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    status: text('status').$type<OrderStatus>().notNull(),
    /** Lower case. */
    txHash: text('tx_hash').$type<Hex>(),
    transferGasUsed: text('transfer_gas_used'),
    ...feeColumns,
    errorMessage: text('error_message'),
    completedAt: instant('completed_at'),
    ...timestamps,
  },
  (table) => [
    index('transfer_orders_by_account').on(table.corporateAccountId, table.id),
    index('transfer_orders_by_status').on(table.corporateAccountId, table.status, table.id),
    index('transfer_orders_by_contract').on(table.corporateAccountId, table.contractAddress, table.id),
    index('transfer_orders_by_holder').on(table.corporateAccountId, sql`lower(${table.from})`, table.id),
    index('transfer_orders_by_tx').on(table.txHash),
    index('transfer_orders_unfinished')
      .on(table.updatedAt)
      .where(sql`${table.status} in ${underWay}`),
  ],
);

/**
 * State of a signed request:
 * - `open`: its order is unfinished and holds the signer's nonce
 * - `mined`: a transaction that submitted it to the forwarder is mined, and the forwarder has counted the nonce
 * - `released`: its order failed before anything was signed; the nonce is free
 */
type ForwardRequestState = 'open' | 'mined' | 'released';

/** Signed forward requests: one row per relayed mint and per transfer. */
export const forwardRequests = pgTable(
  'forward_requests',
  {
    orderId: recordId('order_id').primaryKey(),
    kind: text('kind').$type<'relay-mint' | 'transfer'>().notNull(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    /** Lower case. */
    forwarderAddress: text('forwarder_address').$type<Address>().notNull(),
    /** Lower case. */
    signerAddress: text('signer_address').$type<Address>().notNull(),
    nonce: numeric('nonce', { precision: 78, scale: 0 }).notNull(),
    /** The called contract. Lower case. */
    contractAddress: text('contract_address').$type<Address>().notNull(),
    gasLimit: bigint('gas_limit', { mode: 'number' }).notNull(),
    data: text('data').$type<Hex>().notNull(),
    /** In the only form the forwarder accepts. */
    signature: text('signature').$type<Hex>().notNull(),
    state: text('state').$type<ForwardRequestState>().notNull(),
    /** The block at which acceptance read the signer's nonce; null for requests that an earlier version accepted. */
    readAtBlock: bigint('read_at_block', { mode: 'number' }),
    ...timestamps,
  },
  (table) => [
    // A signer's nonce belongs to at most one open order, no matter who posts the request, or how often.
    uniqueIndex('forward_requests_open')
      .on(table.chainId, table.signerAddress, table.forwarderAddress, table.nonce)
      .where(sql`${table.state} = 'open'`),
    index('forward_requests_by_nonce').on(table.chainId, table.signerAddress, table.forwarderAddress, table.nonce),
    index('forward_requests_by_signature').on(table.signature),
  ],
);

/** Stored responses for requests with an Idempotency-Key. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    corporateAccountId: accountId(),
    key: text('key').notNull(),
    requestHash: text('request_hash').notNull(),
    /** The attempt that holds the key. */
    claimId: recordId('claim_id').notNull(),
    leaseUntil: instant('lease_until').notNull(),
    /** Null until there is a response. */
    statusCode: integer('status_code'),
    body: text('body'),
    /** The body has a secret in it, and is stored encrypted. */
    isEncrypted: boolean('is_encrypted').notNull().default(false),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.corporateAccountId, table.key] }),
    index('idempotency_keys_age').on(table.createdAt),
  ],
);

/**
 * Where a transaction stands:
 * - `waiting`: nothing that may yet be mined is signed; it has no nonce
 * - `signed`: it has a nonce, and an attempt with it is stored
 * - `confirmed`: its effect is on chain
 * - `failed`: its effect is not on chain and never will be
 * - `cancelled`: as `failed`, because the customer asked for it
 */
export type TransactionState = 'waiting' | 'signed' | 'confirmed' | 'failed' | 'cancelled';

/**
 * Why a transaction gets no first signature now:
 * - `not-now`: the chain does not show yet whether it can be carried out, or does not answer
 * - `funds`: the wallet cannot pay for it
 * - `fee-cap`: the chain's fees are above the cap
 * - `inactive`: the account is INACTIVE
 * - `paused`: the account is paused, or has reached a limit
 */
export type HoldReason = 'not-now' | 'funds' | 'fee-cap' | 'inactive' | 'paused';

/** What orders need on chain: one row an order, written in the SQL transaction that accepts the order. */
export const transactions = pgTable(
  'transactions',
  {
    id: recordId('id').primaryKey(),
    /** Name of an order kind. */
    kind: text('kind').notNull(),
    orderId: recordId('order_id').notNull(),
    corporateAccountId: accountId(),
    chainId: text('chain_id').notNull(),
    /** Lower case. */
    walletAddress: text('wallet_address').$type<Address>().notNull(),
    state: text('state').$type<TransactionState>().notNull(),
    /** Raised by every change of state, nonce or attempts, which is made only where it is still what was read. */
    version: integer('version').notNull().default(0),
    /** The one nonce that its attempts have, but for those whose nonce is proven lost. Kept when it ends. */
    nonce: bigint('nonce', { mode: 'number' }),
    /** Not claimed before this. */
    nextTryAt: instant('next_try_at').notNull(),
    /** Claims since the last change of state. */
    tries: integer('tries').notNull().default(0),
    holdReason: text('hold_reason').$type<HoldReason>(),
    /** The hold in words, with its numbers. */
    holdDetail: text('hold_detail'),
    /** Since when it is held for this reason. */
    heldSince: instant('held_since'),
    /** A revert at a block below this one says nothing: what it builds on may be missing there. */
    notBeforeBlock: bigint('not_before_block', { mode: 'number' }),
    cancelRequestedAt: instant('cancel_requested_at'),
    /** Why no node will ever take its `effect`; a final `cancel` ends it `failed` with this. */
    refusal: text('refusal'),
    /** The mined transaction that ended it: one of its attempts, or a stranger's that had the effect. */
    txHash: text('tx_hash').$type<Hex>(),
    blockNumber: bigint('block_number', { mode: 'number' }),
    blockHash: text('block_hash').$type<Hex>(),
    /** Ended, and nothing that may be taken back is left to look at. */
    isFinal: boolean('is_final').notNull().default(false),
    /** How often it has ended; more than once when a block was taken back. */
    endings: integer('endings').notNull().default(0),
    /** The SQL batch that claimed, ended or reopened it last; the other statements of that batch are bound to it. */
    batchId: recordId('batch_id'),
    ...timestamps,
  },
  (table) => [
    uniqueIndex('transactions_order').on(table.kind, table.orderId),
    // Ended rows hold their nonce too: it is used up.
    uniqueIndex('transactions_nonce').on(table.chainId, table.walletAddress, table.nonce),
    index('transactions_waiting')
      .on(table.chainId, table.walletAddress, table.nextTryAt)
      .where(sql`${table.state} = 'waiting'`),
    index('transactions_signed')
      .on(table.chainId, table.walletAddress, table.nonce)
      .where(sql`${table.state} = 'signed'`),
    index('transactions_not_final')
      .on(table.chainId, table.walletAddress, table.blockNumber)
      .where(sql`${table.state} = 'confirmed' and not ${table.isFinal}`),
    index('transactions_unfinished')
      .on(table.updatedAt)
      .where(sql`${table.state} in ('waiting', 'signed')`),
    index('transactions_batch').on(table.batchId),
  ],
);

/** Signed bytes of a transaction. Rows are added and never changed; one whose nonce differs from its transaction's was proven lost. */
export const attempts = pgTable(
  'attempts',
  {
    transactionId: recordId('transaction_id')
      .notNull()
      .references(() => transactions.id),
    /** From 1. */
    number: integer('number').notNull(),
    /** -1 where an earlier version lost the nonce and did not keep it. */
    nonce: bigint('nonce', { mode: 'number' }).notNull(),
    hash: text('hash').$type<Hex>().notNull().unique(),
    /** Null for attempts of which an earlier version of the engine kept the hash only. */
    raw: text('raw').$type<Hex>(),
    /** `effect` does what was ordered; `cancel` is a zero transfer to the wallet itself. */
    purpose: text('purpose').$type<'effect' | 'cancel'>().notNull(),
    /** Gas limit; null for attempts of an earlier version of the engine. */
    gas: bigint('gas', { mode: 'number' }),
    /** Wei. */
    maxFeePerGas: numeric('max_fee_per_gas', { precision: 78, scale: 0 }),
    /** Wei. */
    maxPriorityFeePerGas: numeric('max_priority_fee_per_gas', { precision: 78, scale: 0 }),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.transactionId, table.number] })],
);

/**
 * How a lane is doing:
 * - `ok`: nothing holds it up
 * - `stuck`: its lowest nonce in flight does not get mined, or the chain does not answer
 * - `fee-capped`: the chain's fees are above the cap
 * - `empty`: the wallet cannot pay for what waits
 */
export type LaneState = 'ok' | 'stuck' | 'fee-capped' | 'empty';

/** A look at a wallet: the number of a block, and how many transactions of the wallet were mined up to it. */
export type StoredLook = readonly [block: number, count: number];

/** One wallet on one chain. */
export const lanes = pgTable(
  'lanes',
  {
    chainId: text('chain_id').notNull(),
    /** Lower case. */
    walletAddress: text('wallet_address').$type<Address>().notNull(),
    /** The nonce after the highest one that was read in a final block of this wallet; nothing below is handed out. It only rises. */
    floor: bigint('floor', { mode: 'number' }).notNull().default(0),
    /** The last looks, oldest first. */
    looks: jsonb('looks').$type<StoredLook[]>().notNull().default([]),
    /** Bodies of final blocks were read up to and including this one, in search of who took a nonce. */
    bodiesReadTo: bigint('bodies_read_to', { mode: 'number' }),
    /** How many nonces may be in flight; null for the chain's figure. */
    inFlightWindow: integer('in_flight_window'),
    state: text('state').$type<LaneState>().notNull().default('ok'),
    /** The order that the lane's state is about. */
    orderId: recordId('order_id'),
    reason: text('reason'),
    since: instant('since'),
    /** When its driver worked last. */
    drivenAt: instant('driven_at'),
    /** When the cleanup job woke it last. */
    wokenAt: instant('woken_at'),
    /** When the account was last told that the lane is stuck; null once it is not. */
    stuckToldAt: instant('stuck_told_at'),
    /** When the account was last told that the wallet is low; null once it is not. */
    lowToldAt: instant('low_told_at'),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.walletAddress] }),
    index('lanes_not_ok')
      .on(table.since)
      .where(sql`${table.state} <> 'ok'`),
  ],
);

/**
 * - `ENABLED`: events are delivered
 * - `DISABLED`: none are
 * - `DELETED`: as DISABLED, for good; the row is kept for its deliveries
 */
type EndpointStatus = 'ENABLED' | 'DISABLED' | 'DELETED';

/** Where events of an account are delivered to. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    /** `operator`: the account's webhook of the specification, which the operator's command sets; every account has one. */
    managedBy: text('managed_by').$type<'operator' | 'account'>().notNull(),
    /** Null: the setting WEBHOOK_URL. */
    url: text('url'),
    description: text('description'),
    /** The event types that it gets; null for the ends of all orders. */
    eventTypes: text('event_types').array(),
    status: text('status').$type<EndpointStatus>().notNull().default('ENABLED'),
    /** Names the secret: a rotation that is tried again finds its own. */
    secretId: recordId('secret_id').notNull(),
    /** Encrypted for this endpoint; as it is in rows of an earlier version, until the cleanup job encrypts it. */
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

/** Events, each written by the SQL transaction that made it happen. */
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

/**
 * State of a delivery:
 * - `PENDING`: not attempted yet
 * - `RETRYING`: an attempt failed, another follows
 * - `SUCCESS`, `FAILED`: final
 * - `SKIPPED`: final; the endpoint has no URL, or is not ENABLED
 */
type DeliveryStatus = 'PENDING' | 'RETRYING' | 'SUCCESS' | 'FAILED' | 'SKIPPED';

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
    status: text('status').$type<DeliveryStatus>().notNull().default('PENDING'),
    /** Attempts started. */
    attempts: integer('attempts').notNull().default(0),
    /** At how many attempts it ends; a replay raises it. */
    attemptLimit: integer('attempt_limit').notNull(),
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    /** The request that replayed it last. */
    replayId: recordId('replay_id'),
    ...timestamps,
  },
  (table) => [
    uniqueIndex('webhook_deliveries_of_event').on(table.webhookEventId, table.webhookEndpointId),
    index('webhook_deliveries_unfinished')
      .on(table.nextAttemptAt)
      .where(sql`${table.status} in ('PENDING', 'RETRYING')`),
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
    payloadSent: text('payload_sent').notNull(),
    status: text('status').$type<'SUCCESS' | 'FAILED' | 'RETRYING'>().notNull(),
    responseStatusCode: integer('response_status_code'),
    errorMessage: text('error_message'),
    attempt: integer('attempt').notNull(),
    ...timestamps,
  },
  (table) => [
    uniqueIndex('webhook_logs_attempt').on(table.webhookDeliveryId, table.attempt),
    index('webhook_logs_by_order').on(table.relatedOrderId),
    index('webhook_logs_recent').on(table.updatedAt),
  ],
);

/** Files uploaded by accounts. */
export const assets = pgTable(
  'assets',
  {
    id: recordId('id').primaryKey(),
    corporateAccountId: accountId(),
    originalFileName: text('original_file_name').notNull(),
    s3Key: text('s3_key').notNull().unique(),
    url: text('url').notNull(),
    mimeType: text('mime_type').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    ...timestamps,
  },
  (table) => [index('assets_by_account').on(table.corporateAccountId, table.id)],
);
