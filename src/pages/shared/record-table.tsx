import type { ComponentChildren } from 'preact';

/** A column: its title, the cell of a record, and what it has: long text, or a number. */
export type Column<Item> = readonly [
  title: string,
  cell: (item: Item) => ComponentChildren,
  content?: 'wrap' | 'number',
];

/** Records as a table, which scrolls by itself; on a phone one below the other, each field with its name. */
export function RecordTable<Item>(props: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly columns: readonly Column<Item>[];
  readonly empty: string;
}) {
  const { label, items, idOf, columns, empty } = props;
  if (items.length === 0) return <p class="muted">{empty}</p>;
  return (
    <div class="scroll records" role="region" aria-label={label} tabindex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(([title, , content]) => (
              <th key={title} scope="col" class={content ?? ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)}>
              {columns.map(([title, cell, content]) => (
                <td key={title} data-head={title} class={content ?? ''}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
