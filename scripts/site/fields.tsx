import { resolve, type ApiDocument, type Schema } from './api-document.ts';
import { Description } from './html.tsx';

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Deeper fields are not shown: a schema may contain itself. */
const DEEPEST = 6;

/** The fields of a body, those inside of others folded, and those that all alternatives have first. */
export function SchemaFields(props: {
  readonly document: ApiDocument;
  readonly schema: Schema;
  readonly depth?: number;
  /** Fields that are shown already. */
  readonly shown?: readonly Field[];
}) {
  const { document, schema, depth = 0, shown = [] } = props;
  const own = fieldsOf(document, schema);
  const alternatives = own.length > 0 ? [] : alternativesOf(document, schema);
  const shared = sharedFields(document, alternatives);
  const fields = [...own, ...shared].filter((field) => !isAmong(shown, field));
  return (
    <>
      {fields.length > 0 && (
        <FieldList>
          {fields.map((field) => (
            <FieldItem key={field.name} document={document} field={field} depth={depth} />
          ))}
        </FieldList>
      )}
      {alternatives.map((alternative, index) => (
        <section class="alternative" key={alternative.title ?? index}>
          <p class="muted">{index === 0 ? 'Either' : 'Or'}</p>
          <SchemaFields document={document} schema={alternative} depth={depth} shown={shared} />
        </section>
      ))}
    </>
  );
}

export function FieldList({ children }: { readonly children: preact.ComponentChildren }) {
  return <ul class="fields">{children}</ul>;
}

/** A field or a parameter, and what it consists of. */
export function FieldItem(props: { readonly document: ApiDocument; readonly field: Field; readonly depth?: number }) {
  const { document, field, depth = 0 } = props;
  const { schema } = resolve(document, field.schema);
  const inner = depth < DEEPEST && hasFields(document, schema);
  return (
    <li>
      <p class="field">
        <code>{field.name}</code> <span class="muted">{typeOf(document, schema)}</span>
        {field.isRequired && <span class="required">required</span>}
      </p>
      {schema.description !== undefined && <Description text={schema.description} />}
      <Bounds schema={schema} />
      {inner && (
        <details>
          <summary>Fields of {field.name}</summary>
          <SchemaFields document={document} schema={schema} depth={depth + 1} />
        </details>
      )}
    </li>
  );
}

function Bounds({ schema }: { readonly schema: Schema }) {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const bounds = [
    bound(schema.minLength, schema.maxLength, 'characters'),
    bound(schema.minItems, schema.maxItems, 'items'),
    bound(schema.minimum, schema.maximum, ''),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== undefined);
  return (
    <>
      {values.length > 0 && (
        <p class="values">
          {values.map((value) => (
            <code key={String(value)}>{String(value)}</code>
          ))}
        </p>
      )}
      {bounds.length > 0 && <p class="muted">{bounds.join(', ')}</p>}
    </>
  );
}

function bound(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  // The largest integer that JSON numbers keep is no bound for people.
  const [low, high] = [least, most].map((value) =>
    Math.abs(value ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
  if (low === undefined && high === undefined) return undefined;
  const text = low === undefined ? `at most ${high}` : high === undefined ? `at least ${low}` : `${low} to ${high}`;
  return `${text} ${unit}`.trim();
}

/** The fields that a schema, or the items of a list, has. */
function fieldsOf(document: ApiDocument, schema: Schema): Field[] {
  const { schema: own } = resolve(document, schema);
  if (own.items !== undefined) return fieldsOf(document, own.items);
  if (typeof own.additionalProperties === 'object' && own.properties === undefined) {
    return fieldsOf(document, own.additionalProperties);
  }
  return Object.entries(own.properties ?? {}).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: own.required?.includes(name) === true,
  }));
}

function alternativesOf(document: ApiDocument, schema: Schema): readonly Schema[] {
  const { schema: own } = resolve(document, schema);
  return own.items === undefined ? (own.oneOf ?? own.anyOf ?? []) : alternativesOf(document, own.items);
}

/** The fields that all alternatives have; none if one has no others. */
function sharedFields(document: ApiDocument, alternatives: readonly Schema[]): Field[] {
  const all = alternatives.map((alternative) => fieldsOf(document, alternative));
  const shared = (all[0] ?? []).filter((field) => all.every((fields) => isAmong(fields, field)));
  return all.some(({ length }) => length === shared.length) ? [] : shared;
}

const isAmong = (fields: readonly Field[], field: Field) =>
  fields.some((other) => JSON.stringify(other) === JSON.stringify(field));

const hasFields = (document: ApiDocument, schema: Schema): boolean =>
  fieldsOf(document, schema).length > 0 ||
  alternativesOf(document, schema).some((alternative) => hasFields(document, alternative));

/** The type in words, such as `array of MintingOrder or null`. */
function typeOf(document: ApiDocument, schema: Schema): string {
  const { name, schema: own } = resolve(document, schema);
  const alternatives = own.oneOf ?? own.anyOf;
  if (alternatives !== undefined) return alternatives.map((each) => typeOf(document, each)).join(' or ');
  return [own.type ?? typeof own.const]
    .flat()
    .map((type) => {
      if (type === 'array') return own.items === undefined ? 'array' : `array of ${typeOf(document, own.items)}`;
      if (type === 'object') return name ?? 'object';
      return own.format === undefined || type === 'null' ? type : `${type} (${own.format})`;
    })
    .join(' or ');
}
