import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fieldRows, traitRows, type Row, type Schema } from './schema-rows.ts';

interface Published {
  readonly schemaVersion: string;
  readonly type: string;
  readonly isDefault: boolean;
  readonly document: unknown;
  readonly schema: Schema;
}

async function read<Body>(path: string): Promise<Body> {
  const reply = await fetch(path);
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
  const body: Body = await reply.json();
  return body;
}

async function readSchemas(): Promise<Published[]> {
  const { items } = await read<{ items: Omit<Published, 'schema'>[] }>('/schemas');
  return await Promise.all(
    items.map(async (item) => ({ ...item, schema: await read<Schema>(`/schemas/${item.schemaVersion}`) })),
  );
}

function Table({ caption, rows }: { readonly caption: string; readonly rows: readonly Row[] }) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Required</th>
            <th scope="col">Value</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, isRequired, values, description }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{isRequired ? 'yes' : 'no'}</td>
              <td>{values}</td>
              <td>{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Section({ schemaVersion, type, isDefault, schema, document: example }: Published) {
  const traits = traitRows(schema);
  return (
    <section id={schemaVersion}>
      <h2>{type}</h2>
      <p>
        {schema.description} The version <code>{schemaVersion}</code>{' '}
        {isDefault ? 'applies to requests without schemaVersion' : 'applies if a request names it'};{' '}
        <a href={`/schemas/${schemaVersion}`}>JSON Schema</a>.
      </p>
      <Table caption={`Fields of ${schemaVersion}`} rows={fieldRows(schema)} />
      {traits.length > 0 && <Table caption={`Traits of ${schemaVersion}`} rows={traits} />}
      <h3>Example</h3>
      <div class="scrolls" tabIndex={0} role="region" aria-label={`Example of ${schemaVersion}`}>
        <pre>{JSON.stringify(example, null, 2)}</pre>
      </div>
    </section>
  );
}

function Page() {
  const [schemas, setSchemas] = useState<readonly Published[]>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    readSchemas().then(setSchemas, (reason: unknown) => setError(String(reason)));
  }, []);
  return (
    <main>
      <nav aria-label="Pages">
        <a href="/">Start</a>
        <a href="/docs">API reference</a>
      </nav>
      <h1>Metadata schemas</h1>
      <p>
        What POST /metadata requires for each type. The names are those of the public document; requests use camelCase
        (image is imageUrl, trait_type is traitType). The trait Status is added automatically. A published schema never
        changes.
      </p>
      {error !== undefined && <p role="alert">The schemas cannot be read: {error}</p>}
      {schemas?.map((published) => (
        <Section key={published.schemaVersion} {...published} />
      ))}
    </main>
  );
}

const root = document.querySelector('#app');
if (root !== null) render(<Page />, root);
