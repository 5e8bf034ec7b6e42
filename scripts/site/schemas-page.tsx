import type { Schema } from './api-document.ts';
import { Code } from './html.tsx';
import { fieldRows, traitRows, type Row } from './schema-rows.ts';

/** A published schema with a document that fits it. */
export interface PublishedSchema {
  readonly schemaVersion: string;
  /** The `utility.type` that it is for. */
  readonly type: string;
  readonly isDefault: boolean;
  readonly document: unknown;
  readonly schema: Schema;
}

/** What metadata of each type must have. */
export function SchemasPage({ schemas }: { readonly schemas: readonly PublishedSchema[] }) {
  return (
    <>
      <h1>Metadata schemas</h1>
      <p>
        What <a href="/docs/reference/create-metadata">POST /metadata</a> requires for each type. The names are those of
        the public document; requests use camelCase (image is imageUrl, trait_type is traitType). The trait Status is
        added automatically. A published schema never changes.
      </p>
      {schemas.map((published) => (
        <SchemaSection key={published.schemaVersion} {...published} />
      ))}
    </>
  );
}

function SchemaSection({ schemaVersion, type, isDefault, schema, document }: PublishedSchema) {
  const traits = traitRows(schema);
  return (
    <section>
      <h2 id={schemaVersion}>{type}</h2>
      <p>
        {schema.description} The version <code>{schemaVersion}</code>{' '}
        {isDefault ? 'applies to requests without schemaVersion' : 'applies if a request names it'};{' '}
        <a href={`/schemas/${schemaVersion}`}>JSON Schema</a>.
      </p>
      <RowTable caption={`Fields of ${schemaVersion}`} rows={fieldRows(schema)} />
      {traits.length > 0 && <RowTable caption={`Traits of ${schemaVersion}`} rows={traits} />}
      <h3>Example</h3>
      <Code code={JSON.stringify(document, null, 2)} language="json" />
    </section>
  );
}

function RowTable({ caption, rows }: { readonly caption: string; readonly rows: readonly Row[] }) {
  return (
    <div class="scroll" tabindex={0} role="group" aria-label={caption}>
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
