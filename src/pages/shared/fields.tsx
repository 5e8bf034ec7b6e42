import { words } from './format.ts';

/** The fields of a record that have a value, with their names in words. */
export function Fields({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="fields">
      {Object.entries(of)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{words(name)}</dt>
            <dd class="wrap">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
    </dl>
  );
}
