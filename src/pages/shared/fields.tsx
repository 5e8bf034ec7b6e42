import { words } from './format.ts';

/** The fields of a record that have a value, with their names in words; those of an object in it, too. */
export function Fields({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="fields">
      {entriesOf(of).map(([name, value]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd class="wrap">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function entriesOf(record: object, prefix = ''): [name: string, text: string][] {
  return Object.entries(record).flatMap(([key, value]: [string, unknown]) => {
    const name = prefix + key;
    if (value === null) return [];
    if (typeof value === 'object' && !Array.isArray(value)) return entriesOf(value, `${name} `);
    return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
  });
}
