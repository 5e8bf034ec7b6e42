import { ORDER_KINDS } from '../shared/order-kinds.ts';

/** A kind of order, as the API has it. */
export interface Kind {
  /** The name of its reply. */
  readonly name: keyof typeof ORDER_KINDS;
  /** In words. */
  readonly title: string;
  /** Its routes: `<path>/{id}` reads an order, `<path>/cancel` cancels one. */
  readonly path: string;
  /** Null: the API has no list of them. */
  readonly list: { readonly hasContract: boolean; readonly addressFilter: string | null } | null;
  /** Whether it is found by its transaction: `<path>/by-tx/{txHash}`. */
  readonly hasByTransaction: boolean;
  /** What the types of its events begin with. */
  readonly events: readonly string[];
}

/** All kinds of orders. */
export const KINDS: readonly Kind[] = Object.values(ORDER_KINDS);

/** A kind by its name. */
export function kindNamed(name: string | undefined): Kind | undefined {
  return KINDS.find((kind) => kind.name === name);
}

/** The kind of the order that an event is about; undefined if its type does not say. */
export function kindOfEvent(eventType: string): Kind | undefined {
  const [start = ''] = eventType.split('.');
  return KINDS.find(({ events }) => events.includes(start));
}
