import { and, desc, eq, exists, getTableColumns, inArray, isNotNull, max, or, sql, type SQL } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { Address } from 'viem';
import type { OrderProgress } from '../../engine/order-result.ts';
import { acceptOrders, endpointsOfAccepted, type AcceptedKind, type AcceptingDb } from '../../limits/limits.store.ts';
import type { OrderEnd, OrderReading } from '../../engine/order-kind.ts';
import { ORDER_COLUMNS, orderProgress, type OrderRow } from '../../engine/order-row.store.ts';
import type { ApprovalRequest } from '../../engine/transactions.store.ts';
import { contractIndex, type ContractIndex } from '../../holdings/holdings.store.ts';
import type { Condition, Rows, Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { jsonRow, rowAsJson, rowFromJson } from '../../platform/database/json-rows.ts';
import { valuesTable } from '../../platform/database/values.ts';
import { CHAINS } from '../../chains/list.ts';
import { lowerCase, type LowerCaseAddress } from '../../core/lower-case.ts';
import { WAITING_FOR_APPROVAL } from '../../platform/database/vocabulary/order-status.ts';
import { contracts, metadata, ofResource, orders, type ErcStandard } from '../../platform/database/schema.ts';
import type { PageRange } from '../../core/paging.ts';
import { DEPLOYMENT } from './deployment.ts';

/** The most contracts that a refusal looks at. */
const MAX_OWN = 200;

/** A deployment's row of the ledger, beside its contract: none of a contract from elsewhere. */
const isDeployment = and(eq(orders.orderId, contracts.id), eq(orders.kind, DEPLOYMENT));

/** What the catalogue says of a contract. */
const CATALOGUED = {
  ...getTableColumns(contracts),
  /** The one that it has now: that of its last confirmed change, or the one that it was deployed with. */
  currentBaseUri: sql<string | null>`coalesce((
    select change.details->>'metadataBaseUri' from ${orders} change
    where change.contract_address = ${contracts.contractAddress} and change.corporate_account_id = ${contracts.corporateAccountId}
      and change.${ofResource('base-uri-changes')} and change.chain_id = ${contracts.chainId} and change.status = 'CONFIRMED'
    -- The last one on the chain. Those of an archive have no block here: they come before.
    order by change.block_number desc nulls last, change.nonce desc, change.id desc limit 1), ${contracts.metadataBaseUri})`,
};

/** A contract, with what came of its deployment. */
export interface Contract
  extends SelectResultFields<typeof CATALOGUED>, Omit<OrderEnd, 'errorMessage' | 'completedAt' | 'updatedAt'> {
  readonly completedAt: Date | null;
  readonly progress?: OrderProgress | null;
  readonly index?: ContractIndex | null;
}

/** @param deployment Null for a contract from elsewhere. */
function contractOf(
  catalogued: SelectResultFields<typeof CATALOGUED> & { readonly index?: ContractIndex | null },
  deployment: OrderRow | null,
): Contract {
  const { errorMessage, createdAt, updatedAt, ...known } = catalogued;
  const changes = [updatedAt, deployment !== null && deployment.endings > 0 ? deployment.updatedAt : updatedAt];
  return {
    ...known,
    txHash: deployment?.txHash ?? null,
    gasUsed: deployment?.gasUsed ?? null,
    totalFeeNative: deployment?.totalFeeNative ?? null,
    nativePriceUsd: deployment?.nativePriceUsd ?? null,
    totalFeeUsd: deployment?.totalFeeUsd ?? null,
    nativePriceKrw: deployment?.nativePriceKrw ?? null,
    totalFeeKrw: deployment?.totalFeeKrw ?? null,
    errorMessage: errorMessage ?? deployment?.errorMessage ?? null,
    completedAt: deployment?.completedAt ?? (known.registeredAtBlock === null ? null : createdAt),
    createdAt,
    updatedAt: new Date(Math.max(...changes.map((at) => at.getTime()))),
    progress: deployment && orderProgress(deployment),
  };
}

/** The statement that reads contracts. */
function selectContracts(db: TenantDb) {
  return db.sql
    .select({ contract: { ...CATALOGUED, index: contractIndex() }, deployment: ORDER_COLUMNS })
    .from(contracts)
    .leftJoin(orders, isDeployment);
}

/** The contracts that it has read. */
function contractsOf(rows: Awaited<ReturnType<typeof selectContracts>>): Contract[] {
  return rows.map(({ contract, deployment }) => contractOf(contract, deployment));
}

export type NewContract = Omit<typeof contracts.$inferInsert, 'corporateAccountId'>;

/**
 * Stores a contract with the transaction of its deployment; one whose id already exists is left unchanged.
 * @param kind The kind of deployments.
 * @param walletAddress The account's wallet.
 * @param approval That it needs, if the account requires one; undefined: it needs none.
 * @throws {LimitExceeded}
 */
export async function insertContract(
  db: AcceptingDb,
  kind: AcceptedKind,
  walletAddress: Address,
  values: NewContract & { readonly createdAt: Date },
  approval?: ApprovalRequest,
): Promise<{ readonly contract: Contract; readonly endpointIds: readonly string[] }> {
  const { id: orderId, chainId, createdAt } = values;
  const stored = and(eq(contracts.id, orderId), eq(contracts.corporateAccountId, db.accountId));
  const { acceptance, rows } = await runChange(
    db,
    {
      insert: db.sql
        .insert(contracts)
        .values({ ...values, corporateAccountId: db.accountId })
        .onConflictDoNothing({ target: contracts.id }),
      acceptance: acceptOrders(db, kind, [{ order: values, orderId, chainId, walletAddress, approval }], createdAt, {
        onConflict: sql`on conflict (order_id, kind) do nothing`,
      }),
      rows: selectContracts(db).where(stored),
    },
    sql`select ${contracts.id} from ${contracts} where ${stored}`,
  );
  const [contract] = contractsOf(rows);
  if (contract === undefined) throw new Error('The insert of a contract returned no row');
  return { contract, endpointIds: endpointsOfAccepted(acceptance) };
}

/** The contracts of any account at an address, on any chain. */
export async function contractsAt(db: TenantDb, contractAddress: LowerCaseAddress): Promise<Contract[]> {
  return contractsOf(await selectContractsAt(db, contractAddress));
}

function selectContractsAt(db: TenantDb, contractAddress: LowerCaseAddress) {
  const chainIds = CHAINS.map((chain) => chain.id);
  return selectContracts(db).where(
    and(inArray(contracts.chainId, chainIds), eq(contracts.contractAddress, contractAddress)),
  );
}

/**
 * Stores a contract from elsewhere, unless another one has its address, on any chain.
 * @returns the contracts at the address.
 */
export async function insertRegisteredContract(
  db: TenantDb,
  values: NewContract & { readonly contractAddress: LowerCaseAddress },
): Promise<Contract[]> {
  const statements = {
    insert: db.sql
      .insert(contracts)
      .values({ ...values, corporateAccountId: db.accountId })
      .onConflictDoNothing(),
    known: selectContractsAt(db, values.contractAddress),
  };
  const stored = and(eq(contracts.id, values.id), eq(contracts.corporateAccountId, db.accountId));
  const { known } = await runChange(db, statements, sql`select id from ${contracts} where ${stored}`);
  return contractsOf(known);
}

/**
 * Takes a contract from elsewhere out of the account's ACTIVE ones; one that is not among them, or that this service has
 * deployed, is left unchanged. Its address can be registered again.
 */
export async function removeRegistration(db: TenantDb, id: string, now: Date): Promise<void> {
  const isOwn = and(eq(contracts.id, id), eq(contracts.corporateAccountId, db.accountId));
  await runChange(
    db,
    {
      remove: db.sql
        .update(contracts)
        .set({
          contractAddress: null,
          status: 'FAILED',
          errorMessage: sql`'Unregistered: ' || ${contracts.contractAddress}`,
          updatedAt: now,
        })
        .where(and(isOwn, isNotNull(contracts.registeredAtBlock), eq(contracts.status, 'ACTIVE'))),
    },
    sql`select id from ${contracts} where ${and(isOwn, eq(contracts.updatedAt, now))}`,
  );
}

/** A condition: the account's ACTIVE contracts. */
export function isActive(db: TenantDb): Condition {
  return sql`${eq(contracts.corporateAccountId, db.accountId)} and ${eq(contracts.status, 'ACTIVE')}`;
}

export async function findContract(db: TenantDb, contractId: string): Promise<Contract | undefined> {
  const rows = await selectContracts(db).where(
    and(eq(contracts.id, contractId), eq(contracts.corporateAccountId, db.accountId)),
  );
  return contractsOf(rows)[0];
}

/** The account's ACTIVE contract at an address. */
export async function findContractByAddress(
  db: TenantDb,
  chainId: string,
  contractAddress: LowerCaseAddress,
): Promise<Contract | undefined> {
  const rows = await selectContracts(db).where(
    and(isActive(db), eq(contracts.chainId, chainId), eq(contracts.contractAddress, contractAddress)),
  );
  return contractsOf(rows)[0];
}

/** The statement that reads the account's ACTIVE contract whose token has a document. */
export function findContractOfMetadata(db: TenantDb, metadataId: string): Rows<Pick<Contract, 'id' | 'ercStandard'>> {
  const isOfDocument = and(
    eq(metadata.id, metadataId),
    eq(metadata.chainId, contracts.chainId),
    eq(metadata.contractAddress, contracts.contractAddress),
  );
  return db.sql
    .select({ id: contracts.id, ercStandard: contracts.ercStandard })
    .from(contracts)
    .innerJoin(metadata, isOfDocument)
    .where(isActive(db));
}

/** What a refusal says of a contract of the account. */
export type OwnContract = Pick<Contract, 'id' | 'chainId' | 'contractAddress' | 'status' | 'ercStandard'>;

/**
 * The account's contracts in any state at these addresses, on any chain, and those that are being deployed and have no
 * address yet, newest first.
 */
export async function findOwnContracts(
  db: TenantDb,
  places: readonly { readonly contractAddress: LowerCaseAddress }[],
): Promise<OwnContract[]> {
  const addresses = [...new Set(places.map(({ contractAddress }) => contractAddress))];
  const isThere = inArray(contracts.contractAddress, addresses);
  const isDeploying = eq(contracts.status, 'DEPLOYING');
  return await db.sql
    .select({
      id: contracts.id,
      chainId: contracts.chainId,
      contractAddress: contracts.contractAddress,
      status: contracts.status,
      ercStandard: contracts.ercStandard,
    })
    .from(contracts)
    .where(and(eq(contracts.corporateAccountId, db.accountId), or(isThere, isDeploying)))
    .orderBy(desc(contracts.id))
    .limit(MAX_OWN);
}

/** The statement that reads what is stored about a contract of the account, in any state. */
export function ownContractAt(db: TenantDb, chainId: string, contractAddress: LowerCaseAddress) {
  return db.sql
    .select({
      ercStandard: contracts.ercStandard,
      contractType: contracts.contractType,
      trustedForwarder: contracts.trustedForwarder,
      burnAuth: contracts.burnAuth,
      registeredAtBlock: contracts.registeredAtBlock,
    })
    .from(contracts)
    .where(isOwnAt(db, chainId, contractAddress));
}

function isOwnAt(db: TenantDb, chainId: string, contractAddress: LowerCaseAddress) {
  return and(
    eq(contracts.corporateAccountId, db.accountId),
    eq(contracts.chainId, chainId),
    eq(contracts.contractAddress, contractAddress),
  );
}

/**
 * The statement that reads the account's ACTIVE forwarders on a chain: its newest one first, then those that are named.
 * @param address That of one.
 * @param trustedBy The address of a contract of the account whose record names one.
 */
export function findOwnForwarders(
  db: TenantDb,
  chainId: string,
  { address, trustedBy }: { readonly address?: Address | undefined; readonly trustedBy?: LowerCaseAddress | undefined },
): Rows<{ readonly address: LowerCaseAddress }> {
  const isForwarder = and(isActive(db), eq(contracts.chainId, chainId), eq(contracts.ercStandard, 'Forwarder'));
  const newest = db.sql
    .select({ id: max(contracts.id) })
    .from(contracts)
    .where(isForwarder);
  const trusted = (contract: LowerCaseAddress) =>
    db.sql
      .select({ address: sql`lower(${contracts.trustedForwarder})` })
      .from(contracts)
      .where(isOwnAt(db, chainId, contract));
  return db.sql
    .select({ address: sql<LowerCaseAddress>`${contracts.contractAddress}` })
    .from(contracts)
    .where(
      and(
        isForwarder,
        or(
          inArray(contracts.id, newest),
          address && eq(contracts.contractAddress, lowerCase(address)),
          trustedBy && inArray(contracts.contractAddress, trusted(trustedBy)),
        ),
      ),
    )
    .orderBy(desc(contracts.id));
}

export interface ContractFilter {
  readonly status?: Contract['status'] | typeof WAITING_FOR_APPROVAL | undefined;
  readonly ercStandard?: Contract['ercStandard'] | undefined;
  readonly chainId?: string | undefined;
}

/** A page of the account's contracts, newest first. */
export async function listContracts(
  db: TenantDb,
  { status, ercStandard, chainId }: ContractFilter,
  page: PageRange,
): Promise<Contract[]> {
  const rows = await selectContracts(db)
    .where(
      and(
        inPage(contracts, db, page),
        ...hasStatus(status),
        ercStandard === undefined ? undefined : eq(contracts.ercStandard, ercStandard),
        chainId === undefined ? undefined : eq(contracts.chainId, chainId),
      ),
    )
    .orderBy(desc(contracts.id))
    .limit(page.take);
  return contractsOf(rows);
}

/** Conditions on contracts and their deployments, for a status as replies show it. */
function hasStatus(status: ContractFilter['status']): (SQL | undefined)[] {
  if (status === undefined) return [];
  const isAwaiting = and(eq(orders.state, 'waiting'), isNotNull(orders.approvalUntil));
  if (status === WAITING_FOR_APPROVAL) return [isAwaiting];
  const isStored = eq(contracts.status, status);
  return status === 'DEPLOYING' ? [isStored, sql`(${isAwaiting}) is not true`] : [isStored];
}

/** Whether a contract of any account is registered on one of these chains. @param contractAddress Lower case. */
export function isRegistered(db: SystemDb | TenantDb, contractAddress: SQL, chainIds: readonly string[]): SQL {
  return exists(
    db.sql
      .select({ id: contracts.id })
      .from(contracts)
      .where(and(inArray(contracts.chainId, [...chainIds]), eq(contracts.contractAddress, contractAddress))),
  );
}

/**
 * An ACTIVE token contract. About its account it only says whether it is the requesting one, because an account's id is
 * a credential.
 */
export interface TokenContract {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  readonly ercStandard: ErcStandard;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly isOwn: boolean;
}

/**
 * The ACTIVE token contracts at these addresses.
 * @param scope `own`: only the requesting account's contracts; `all`: those of every account.
 */
export async function findTokenContracts(
  db: TenantDb,
  addresses: readonly { readonly chainId: string; readonly contractAddress: string }[],
  scope: 'own' | 'all',
): Promise<TokenContract[]> {
  if (addresses.length === 0) return [];
  const rows = addresses.map(({ chainId, contractAddress }) => ({ chainId, contractAddress }));
  const isOwn = eq(contracts.corporateAccountId, db.accountId);
  return await db.sql
    .selectDistinct({
      chainId: contracts.chainId,
      contractAddress: sql<LowerCaseAddress>`${contracts.contractAddress}`,
      ercStandard: sql<ErcStandard>`${contracts.ercStandard}`,
      name: contracts.name,
      symbol: contracts.symbol,
      isOwn: sql<boolean>`${isOwn}`,
    })
    .from(contracts)
    .innerJoin(
      valuesTable('v', { chainId: 'text', contractAddress: 'text' }, rows),
      sql`${contracts.chainId} = v."chainId" and ${contracts.contractAddress} = v."contractAddress"`,
    )
    .where(
      and(
        eq(contracts.status, 'ACTIVE'),
        inArray(contracts.ercStandard, ['721', '1155']),
        scope === 'own' ? isOwn : undefined,
      ),
    );
}

/** How the engine reads deployments. */
export const deploymentReading: OrderReading<Contract> = {
  joined: sql`(select ${rowAsJson(CATALOGUED)} from ${contracts} where ${contracts.id} = ${orders.orderId})`,
  parse: (row, joined) => contractOf(rowFromJson(CATALOGUED, jsonRow.parse(joined)), row),
};

/** The statement that locks contracts, in the order of their ids. */
export function lockContracts(db: SystemDb, contractIds: readonly string[]): Rows<{ readonly id: string }> {
  return db.sql
    .select({ id: contracts.id })
    .from(contracts)
    .where(inArray(contracts.id, [...contractIds]))
    .orderBy(contracts.id)
    .for('update');
}

/**
 * The statements, for a batch that ends deployments, that record what became of the contracts. Between the block of a
 * deployment and this batch its contract can be registered, and before that a copy on another chain: the registration
 * then gives way.
 * @param hasEnded Whether a deployment was ended by this batch.
 * @param deployments By the contract's id; without an address if the deployment has failed.
 */
export function recordDeployments(
  db: SystemDb,
  hasEnded: (contractId: Condition) => Condition,
  deployments: readonly { readonly id: string; readonly contractAddress: Address | null }[],
): Statement[] {
  const rows = deployments.map(({ id, contractAddress }) => ({
    id,
    contract_address: contractAddress,
    status: contractAddress === null ? 'FAILED' : 'ACTIVE',
  }));
  const ended = valuesTable('v', { id: 'text', contract_address: 'text', status: 'text' }, rows);
  return [
    db.sql
      .update(contracts)
      .set({
        contractAddress: null,
        status: 'FAILED',
        errorMessage: 'This service deployed the contract with this address, which has a record of its own',
      })
      .from(ended)
      .where(
        and(
          sql`${contracts.contractAddress} = v.contract_address and ${contracts.registeredAtBlock} is not null`,
          hasEnded(sql`v.id`),
        ),
      ),
    db.sql
      .update(contracts)
      .set({ contractAddress: sql`v.contract_address`, status: sql`v.status` })
      .from(ended)
      .where(and(sql`${contracts.id} = v.id`, hasEnded(sql`v.id`))),
  ];
}

/** The statement, for a batch that reopens deployments, that removes the contracts' addresses. */
export function withdrawDeployments(db: SystemDb, wasReopened: (contractId: Condition) => Condition): Statement {
  return db.sql
    .update(contracts)
    .set({ contractAddress: null, status: 'DEPLOYING' })
    .where(wasReopened(sql`${contracts.id}`));
}

/** A contract that an ownership transfer was carried out for. */
export interface OwnerChange {
  readonly orderId: string;
  readonly contractId: string;
  readonly owner: Address;
  readonly newOwner: Address;
  readonly at: Date;
}

/**
 * The statement of an ending that writes the new owners of contracts.
 * @param hasEnded Whether an ownership transfer was ended by this very batch.
 */
export function recordNewOwners(
  db: SystemDb,
  hasEnded: (orderId: Condition) => Condition,
  changes: readonly Pick<OwnerChange, 'orderId' | 'contractId' | 'newOwner' | 'at'>[],
): Statement {
  const shape = { orderId: 'text', contractId: 'text', newOwner: 'text', at: 'timestamptz' } as const;
  return db.sql
    .update(contracts)
    .set({ currentOwnerAddress: sql`v."newOwner"`, updatedAt: sql`v.at` })
    .from(valuesTable('v', shape, changes))
    .where(and(sql`${contracts.id} = v."contractId"`, hasEnded(sql`v."orderId"`)));
}

/**
 * The statement of a reopening that gives contracts back to their previous owner, where the record still has the new
 * one.
 * @param wasReopened Whether an ownership transfer was reopened by this very batch.
 */
export function restoreOwners(
  db: SystemDb,
  wasReopened: (orderId: Condition) => Condition,
  changes: readonly Pick<OwnerChange, 'orderId' | 'contractId' | 'owner' | 'newOwner'>[],
): Statement {
  const shape = { orderId: 'text', contractId: 'text', owner: 'text', newOwner: 'text' } as const;
  return db.sql
    .update(contracts)
    .set({ currentOwnerAddress: sql`v.owner` })
    .from(valuesTable('v', shape, changes))
    .where(
      and(
        sql`${contracts.id} = v."contractId" and ${contracts.currentOwnerAddress} = v."newOwner"`,
        wasReopened(sql`v."orderId"`),
      ),
    );
}
