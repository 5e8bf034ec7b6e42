import { and, desc, eq, exists, inArray, isNotNull, max, not, or, sql, type SQL } from 'drizzle-orm';
import type { Address } from 'viem';
import type { OrderProgress } from '../../core/reply-fields.ts';
import { acceptOrders, endpointsOfAccepted, type AcceptedKind } from '../../engine/limits.store.ts';
import type { OrderReading } from '../../engine/order-kind.ts';
import { isAwaitingApproval, orderReading, progressOf, type ApprovalRequest } from '../../engine/transactions.store.ts';
import { contractIndex, type ContractIndex } from '../../holdings/holdings.store.ts';
import type { Condition, Rows, Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { columnsOf, valuesTable } from '../../platform/database/values.ts';
import { CHAINS } from '../../chains/list.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { CONTRACT_STATUS, WAITING_FOR_APPROVAL } from '../../core/order-status.ts';
import { contractRecords, contracts, metadata, type ErcStandard } from '../../platform/database/schema.ts';
import type { PageRange } from '../../core/paging.ts';

/** The name of the order kind that deploys contracts. Its orders are the records of contracts. */
export const DEPLOYMENT = 'deploy';

/** The most contracts that a refusal looks at. */
const MAX_OWN = 200;

export type Contract = typeof contractRecords.$inferSelect & {
  readonly progress?: OrderProgress | null;
  readonly index?: ContractIndex | null;
};
const contractColumns = {
  ...columnsOf(contractRecords),
  progress: progressOf(contractRecords, [{ name: DEPLOYMENT, dependency: null }]),
  index: contractIndex(),
};

export type NewContract = Omit<typeof contracts.$inferInsert, 'corporateAccountId'>;

/**
 * Stores a contract with the transaction of its deployment; one whose id already exists is left unchanged.
 * @param kind The kind of deployments.
 * @param walletAddress The account's wallet.
 * @param approval That it needs, if the account requires one; undefined: it needs none.
 * @throws {LimitExceeded}
 */
export async function insertContract(
  db: TenantDb,
  kind: AcceptedKind,
  walletAddress: Address,
  values: NewContract & { readonly createdAt: Date },
  approval?: ApprovalRequest,
): Promise<{ readonly contract: Contract; readonly endpointIds: readonly string[] }> {
  const { id: orderId, chainId, createdAt } = values;
  const stored = and(eq(contractRecords.id, orderId), eq(contractRecords.corporateAccountId, db.accountId));
  const {
    acceptance,
    rows: [row],
  } = await runChange(
    db,
    {
      insert: db.sql
        .insert(contracts)
        .values({ ...values, corporateAccountId: db.accountId })
        .onConflictDoNothing({ target: contracts.id }),
      acceptance: acceptOrders(db, kind, [{ order: values, orderId, chainId, walletAddress, approval }], createdAt, {
        onConflict: sql`on conflict (order_id, kind) do nothing`,
      }),
      rows: db.sql.select(contractColumns).from(contractRecords).where(stored),
    },
    sql`select ${contractRecords.id} from ${contractRecords} where ${stored}`,
  );
  if (row === undefined) throw new Error('The insert of a contract returned no row');
  return { contract: row, endpointIds: endpointsOfAccepted(acceptance) };
}

/** A contract of any account. */
export interface KnownContract {
  readonly contract: Contract;
  readonly isOwn: boolean;
}

/**
 * The statement that reads the contracts of any account at an address, on any chain.
 * @param contractAddress Lower case.
 */
export function contractsAt(db: TenantDb, contractAddress: Address) {
  const isOwn = sql<boolean>`${contractRecords.corporateAccountId} = ${db.accountId}`;
  const chainIds = CHAINS.map(({ id }) => id);
  return db.sql
    .select({ contract: contractColumns, isOwn })
    .from(contractRecords)
    .where(and(inArray(contractRecords.chainId, chainIds), eq(contractRecords.contractAddress, contractAddress)));
}

/**
 * Stores a contract from elsewhere, unless another one has its address, on any chain.
 * @returns the contracts at the address.
 */
export async function insertRegisteredContract(
  db: TenantDb,
  values: NewContract & { readonly contractAddress: Address },
): Promise<KnownContract[]> {
  const statements = {
    insert: db.sql
      .insert(contracts)
      .values({ ...values, corporateAccountId: db.accountId })
      .onConflictDoNothing(),
    known: contractsAt(db, values.contractAddress),
  };
  const stored = and(eq(contracts.id, values.id), eq(contracts.corporateAccountId, db.accountId));
  const { known } = await runChange(db, statements, sql`select id from ${contracts} where ${stored}`);
  return known;
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
          status: CONTRACT_STATUS.failed,
          errorMessage: sql`'Unregistered: ' || ${contracts.contractAddress}`,
          updatedAt: now,
        })
        .where(and(isOwn, isNotNull(contracts.registeredAtBlock), eq(contracts.status, CONTRACT_STATUS.confirmed))),
    },
    sql`select id from ${contracts} where ${and(isOwn, eq(contracts.updatedAt, now))}`,
  );
}

/** A condition: the account's ACTIVE contracts. */
export function isActive(db: TenantDb, table: typeof contracts | typeof contractRecords = contracts): Condition {
  return sql`${eq(table.corporateAccountId, db.accountId)} and ${eq(table.status, CONTRACT_STATUS.confirmed)}`;
}

export async function findContract(db: TenantDb, id: string): Promise<Contract | undefined> {
  const [row] = await db.sql
    .select(contractColumns)
    .from(contractRecords)
    .where(and(eq(contractRecords.id, id), eq(contractRecords.corporateAccountId, db.accountId)));
  return row;
}

/** The account's ACTIVE contract at an address. @param contractAddress Lower case. */
export async function findContractByAddress(
  db: TenantDb,
  chainId: string,
  contractAddress: Address,
): Promise<Contract | undefined> {
  const { chainId: chain, contractAddress: address } = contractRecords;
  const [row] = await db.sql
    .select()
    .from(contractRecords)
    .where(and(isActive(db, contractRecords), eq(chain, chainId), eq(address, contractAddress)));
  return row;
}

/** The statement that reads the account's ACTIVE contract whose token has a document. */
export function findContractOfMetadata(db: TenantDb, metadataId: string): Rows<Contract> {
  const { id, chainId, contractAddress } = metadata;
  const ofDocument = and(eq(id, metadataId), eq(chainId, contractRecords.chainId));
  return db.sql
    .select(columnsOf(contractRecords))
    .from(contractRecords)
    .innerJoin(metadata, and(ofDocument, eq(contractAddress, contractRecords.contractAddress)))
    .where(isActive(db, contractRecords));
}

/** What a refusal says of a contract of the account. */
export type OwnContract = Pick<Contract, 'id' | 'chainId' | 'contractAddress' | 'status' | 'ercStandard'>;

/**
 * The account's contracts in any state at these addresses, on any chain, and those that are being deployed and have no
 * address yet, newest first.
 */
export async function findOwnContracts(
  db: TenantDb,
  places: readonly { readonly contractAddress: Address }[],
): Promise<OwnContract[]> {
  const addresses = [...new Set(places.map(({ contractAddress }) => contractAddress))];
  const isThere = inArray(contracts.contractAddress, addresses);
  const isDeploying = eq(contracts.status, CONTRACT_STATUS.waiting);
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

/**
 * The statement that reads what is stored about a contract of the account, in any state.
 * @param contractAddress Lower case.
 */
export function ownContractAt(db: TenantDb, chainId: string, contractAddress: Address) {
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

function isOwnAt(db: TenantDb, chainId: string, contractAddress: Address) {
  return and(
    eq(contracts.corporateAccountId, db.accountId),
    eq(contracts.chainId, chainId),
    eq(contracts.contractAddress, contractAddress),
  );
}

/**
 * The statement that reads the account's ACTIVE forwarders on a chain, with their addresses in lower case: its newest
 * one first, then those that are named.
 * @param address That of one.
 * @param trustedBy Lower case: the address of a contract of the account whose record names one.
 */
export function findOwnForwarders(
  db: TenantDb,
  chainId: string,
  { address, trustedBy }: { readonly address?: Address | undefined; readonly trustedBy?: Address | undefined },
): Rows<{ readonly address: Address }> {
  const isForwarder = and(isActive(db), eq(contracts.chainId, chainId), eq(contracts.ercStandard, 'Forwarder'));
  const newest = db.sql
    .select({ id: max(contracts.id) })
    .from(contracts)
    .where(isForwarder);
  const trusted = (contract: Address) =>
    db.sql
      .select({ address: sql`lower(${contracts.trustedForwarder})` })
      .from(contracts)
      .where(isOwnAt(db, chainId, contract));
  return db.sql
    .select({ address: sql<Address>`${contracts.contractAddress}` })
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

/** The filter of a list of contracts. */
export interface ContractFilter {
  readonly status?: Contract['status'] | typeof WAITING_FOR_APPROVAL | undefined;
  readonly ercStandard?: Contract['ercStandard'] | undefined;
  readonly chainId?: string | undefined;
}

/** A page of the account's contracts, newest first. */
export function listContracts(db: TenantDb, { status, ercStandard, chainId }: ContractFilter, page: PageRange) {
  return db.sql
    .select(contractColumns)
    .from(contractRecords)
    .where(
      and(
        inPage(contractRecords, db, page),
        ...hasStatus(status),
        ercStandard === undefined ? undefined : eq(contractRecords.ercStandard, ercStandard),
        chainId === undefined ? undefined : eq(contractRecords.chainId, chainId),
      ),
    )
    .orderBy(desc(contractRecords.id))
    .limit(page.take);
}

/** Conditions on contracts, for a status as replies show it. */
function hasStatus(status: ContractFilter['status']): (SQL | undefined)[] {
  if (status === undefined) return [];
  const isAwaiting = isAwaitingApproval(contractRecords, DEPLOYMENT);
  if (status === WAITING_FOR_APPROVAL) return [isAwaiting];
  const isStored = eq(contractRecords.status, status);
  return status === CONTRACT_STATUS.waiting ? [isStored, not(isAwaiting)] : [isStored];
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
  /** Lower case. */
  readonly contractAddress: string;
  readonly ercStandard: ErcStandard;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly isOwn: boolean;
}

/**
 * The ACTIVE token contracts at these addresses.
 * @param addresses In lower case.
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
      contractAddress: sql<string>`${contracts.contractAddress}`,
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
        eq(contracts.status, CONTRACT_STATUS.confirmed),
        inArray(contracts.ercStandard, ['721', '1155']),
        scope === 'own' ? isOwn : undefined,
      ),
    );
}

/** How the engine reads deployments. */
export const deploymentRows: OrderReading<Contract> = orderReading(
  contractRecords.id,
  columnsOf(contractRecords),
  sql`${contractRecords}`,
);

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
    status: contractAddress === null ? CONTRACT_STATUS.failed : CONTRACT_STATUS.confirmed,
  }));
  const ended = valuesTable('v', { id: 'text', contract_address: 'text', status: 'text' }, rows);
  return [
    db.sql
      .update(contracts)
      .set({
        contractAddress: null,
        status: CONTRACT_STATUS.failed,
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
    .set({ contractAddress: null, status: CONTRACT_STATUS.waiting })
    .where(wasReopened(sql`${contracts.id}`));
}

/** A contract that an ownership transfer was carried out for. */
export interface OwnerChange {
  /** The order. */
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

/** The deployment of a contract: what every order of the contract builds on. */
export function deploymentOf(contractId: string): { readonly kind: string; readonly orderId: string } {
  return { kind: DEPLOYMENT, orderId: contractId };
}
