import type { ComponentChildren } from 'preact';
import { Table } from '../shared/parts.tsx';

/** A column: its title, the cell of a record, and whether it has long text. */
export type Column<Item> = readonly [title: string, cell: (item: Item) => ComponentChildren, size?: 'wrap'];

/** Records as a table; on a phone one below the other, each field with its name. */
export function RecordTable<Item>(props: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly columns: readonly Column<Item>[];
  readonly empty: string;
}) {
  const { label, items, idOf, columns, empty } = props;
  return (
    <Table label={label} head={columns.map(([title]) => title)} isEmpty={items.length === 0} empty={empty}>
      {items.map((item) => (
        <tr key={idOf(item)}>
          {columns.map(([title, cell, size = '']) => (
            <td key={title} data-head={title} class={size}>
              {cell(item)}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
