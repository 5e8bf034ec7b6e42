import { z } from 'zod';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import { ORDER_COLUMNS, type OrderColumns, type OrderForm, type OrderRow } from '../engine/order-row.store.ts';
import type { OrderProgress } from '../engine/order-result.ts';
import type { OrderResourceName } from '../platform/database/schema.ts';

/** A column of the ledger that says what an order does. */
type OwnColumn = Exclude<keyof OrderColumns, 'contractAddress' | 'details'>;

/** The columns of an order's own properties, by the names of these. */
type Names = Readonly<Record<string, OwnColumn>>;

interface Common extends Pick<
  OrderRow,
  | 'id'
  | 'corporateAccountId'
  | 'chainId'
  | 'status'
  | 'txHash'
  | 'gasUsed'
  | 'totalFeeNative'
  | 'nativePriceUsd'
  | 'totalFeeUsd'
  | 'nativePriceKrw'
  | 'totalFeeKrw'
  | 'errorMessage'
  | 'completedAt'
  | 'createdAt'
  | 'updatedAt'
> {
  /** May be another account's contract, or one that is not registered. */
  readonly contractAddress: LowerCaseAddress;
}

/** What every order has when it is ordered. */
type CommonNew = Pick<Common, 'id' | 'chainId' | 'contractAddress' | 'createdAt'>;

/** How orders that the API shows in one way are stored. */
export interface StoredOrders<Order, New> extends OrderForm<Order> {
  /** The names of the kinds that carry them out. */
  readonly kinds: readonly string[];
  readonly needed: readonly OwnColumn[];
  /** The schema of what no other orders have; undefined: there is nothing. */
  readonly details: z.ZodObject | undefined;
  /** The ledger's columns of an order. */
  columns(order: New): OrderColumns;
  /** An order that is stored just now. */
  fresh(order: New, kind: string, corporateAccountId: string): Order;
}

/** An order as it is read, with how it stands: absent if it was accepted just now, or is not shown. */
export type OrderOf<Stored extends { fromRow(row: OrderRow): object }> = ReturnType<Stored['fromRow']> & {
  readonly progress?: OrderProgress;
};

export type NewOrderOf<Stored extends { readonly fresh: (order: never, ...others: never[]) => unknown }> = Parameters<
  Stored['fresh']
>[0];

/** What is special about orders that the API shows in one way. */
interface Special<Needed, Optional, Details, Computed> {
  /** Columns that each has. */
  readonly needed: Needed;
  /** Columns that may be null. */
  readonly optional?: Optional;
  /** The schema of what no other orders have, and nothing is searched by. */
  readonly details?: Details;
  /** What follows from the rest. */
  readonly computed?: (row: OrderRow) => Computed;
}

type OwnFields<Needed extends Names, Optional> = {
  readonly [Name in keyof Needed]: NonNullable<OrderRow[Needed[Name]]>;
} & (Optional extends Names ? { readonly [Name in keyof Optional]: OrderRow[Optional[Name]] } : unknown);

type NewFields<Needed extends Names, Optional> = {
  readonly [Name in keyof Needed]: NonNullable<OrderRow[Needed[Name]]>;
} & (Optional extends Names ? { readonly [Name in keyof Optional]?: OrderRow[Optional[Name]] } : unknown);

type Parsed<Details> = Details extends z.ZodObject ? z.output<Details> : unknown;

type Unparsed<Details> = Details extends z.ZodObject ? z.input<Details> : unknown;

const EMPTY_ROW = Object.fromEntries(Object.keys(ORDER_COLUMNS).map((name) => [name, null]));

/** Declares how orders that the API shows in one way are stored: everything else follows. */
export function storedOrders<
  const Needed extends Names,
  const Optional extends Names | undefined = undefined,
  Details extends z.ZodObject | undefined = undefined,
  Computed = unknown,
>(
  resource: OrderResourceName,
  kinds: readonly string[],
  { needed, optional, details, computed }: Special<Needed, Optional, Details, Computed>,
): StoredOrders<
  Common & OwnFields<Needed, Optional> & Parsed<Details> & Computed,
  CommonNew & NewFields<Needed, Optional> & Unparsed<Details>
> {
  type Order = Common & OwnFields<Needed, Optional> & Parsed<Details> & Computed;
  type NewOrder = CommonNew & NewFields<Needed, Optional> & Unparsed<Details>;
  const names: Names = { ...needed, ...optional };
  const detailNames = Object.keys(details?.shape ?? {});

  const columns = (order: NewOrder): OrderColumns => {
    const valueOf = (name: string): unknown => Object.getOwnPropertyDescriptor(order, name)?.value ?? null;
    const known = detailNames.map((name) => [name, valueOf(name)] as const).filter(([, value]) => value !== null);
    return {
      ...Object.fromEntries(Object.entries(names).map(([name, column]) => [column, valueOf(name)])),
      contractAddress: order.contractAddress,
      details: known.length === 0 ? null : z.record(z.string(), z.string()).parse(Object.fromEntries(known)),
    };
  };

  const fromRow = (row: OrderRow): Order => {
    const of = (own: Names, isNeeded: boolean) =>
      Object.entries(own).map(([name, column]) => {
        if (isNeeded && row[column] === null) throw new Error(`The order ${row.id} has no ${column}`);
        return [name, row[column]] as const;
      });
    const { contractAddress, claimedAt, completedAt, updatedAt } = row;
    if (contractAddress === null) throw new Error(`The order ${row.id} has no contract`);
    const order = {
      id: row.id,
      corporateAccountId: row.corporateAccountId,
      chainId: row.chainId,
      contractAddress,
      status: row.status,
      txHash: row.txHash,
      gasUsed: row.gasUsed,
      totalFeeNative: row.totalFeeNative,
      nativePriceUsd: row.nativePriceUsd,
      totalFeeUsd: row.totalFeeUsd,
      nativePriceKrw: row.nativePriceKrw,
      totalFeeKrw: row.totalFeeKrw,
      errorMessage: row.errorMessage,
      completedAt,
      createdAt: row.createdAt,
      // Until the order has ended, its first claim counts, which changes no other column.
      updatedAt: completedAt === null && claimedAt !== null && claimedAt > updatedAt ? claimedAt : updatedAt,
      ...Object.fromEntries([...of(needed, true), ...of(optional ?? {}, false)]),
      ...details?.parse(row.details ?? {}),
      ...computed?.(row),
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each of the names has its column's value
    return order as Order;
  };

  const fresh = (order: NewOrder, kind: string, corporateAccountId: string): Order => {
    const { id, chainId, createdAt } = order;
    const common = { id, orderId: id, kind, corporateAccountId, chainId, createdAt, updatedAt: createdAt };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not set is null
    const row = { ...EMPTY_ROW, ...columns(order), ...common, state: 'waiting', status: 'PENDING' } as OrderRow;
    return fromRow(row);
  };

  return { resource, kinds, names, needed: Object.values(needed), details, columns, fromRow, fresh };
}
