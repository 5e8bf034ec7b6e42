import {
  bodyOf,
  eventsOf,
  keyOf,
  operationsOf,
  successesOf,
  type ApiDocument,
  type Operation,
  type Parameter,
  type Schema,
} from '../site/api-document.ts';
import { clientKinds } from './order-kinds.ts';
import { typesOfSchemas } from './types-of-schemas.ts';

/** A second path of an operation, for which the client needs no second function. */
const ALIAS = 'orderMintPlural';
/** The field that names the next page of a list, and the parameter that takes it. */
const PAGES: Readonly<Record<string, string>> = { nextCursor: 'cursor', nextPageToken: 'pageToken' };

/**
 * The source of clients/typescript/src/api.ts: the operations that the key of an account may call or that need none,
 * the types of what they take and reply, and the events.
 * @param document The API document.
 */
export async function clientApi(document: ApiDocument): Promise<string> {
  const operations = operationsOf(document).filter(
    (operation) => keyOf(operation) !== 'operator' && operation.operationId !== ALIAS,
  );
  const { Error: errorReply = {}, ...named } = document.components.schemas;
  const schemas: Record<string, Schema> = {};
  const add = (name: string, schema: Schema = {}) => {
    if (name in schemas) return;
    schemas[name] = schema;
    for (const [, inner = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      add(inner, named[inner]);
    }
  };
  /** Adds a schema. @returns the name of its type: its own, or this one. */
  const typeOf = (name: string, schema: Schema) => {
    const type = schema.$ref?.replace('#/components/schemas/', '') ?? name;
    add(type, schema.$ref === undefined ? schema : named[type]);
    return type;
  };
  const methods = operations.map((operation) => methodOf(operation, typeOf));
  add('WebhookEvent', { oneOf: eventsOf(document).map((event) => bodyOf(event)?.schema ?? {}) });
  // `Error` is a name of JavaScript.
  add('ErrorReply', errorReply);

  const types = await typesOfSchemas(JSON.parse(JSON.stringify(schemas, withoutForms)), true);
  const requests = operations.map(
    (operation) => `  ${operation.operationId}: ${JSON.stringify(requestOf(operation))},`,
  );
  return `// Generated from the API document: npm run api:types
import type { List, Operation, RequestOptions, WriteOptions } from './operation.ts';

${types.replaceAll(/^export type \S+ = Record<string, never>;\n/gm, '')}
/** What can be asked of the service. */
export interface Operations {
${methods.join('\n')}
}

${clientKinds(document)}
/** How each operation is sent. */
export const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = {
${requests.join('\n')}
};
`;
}

const CSV = 'text/csv';
const FILE =
  'CSV, unless its type is application/x-ndjson: JSON lines. In Node.js, openAsBlob reads a file while it is sent';

/** A method of `Operations`. @param typeOf The type for a schema, which has this name if the schema has none. */
function methodOf(operation: Operation, typeOf: (name: string, schema: Schema) => string): string {
  const { operationId, method, path, summary, description } = operation;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
  const input = inputOf(operation);
  const argument =
    input === undefined ? [] : [`input${input.isOptional ? '?' : ''}: ${typeOf(`${name}Input`, input.schema)}`];
  const options = `options?: ${takesKey(operation) ? 'WriteOptions' : 'RequestOptions'}`;
  const [reply, ...others] = new Set(successesOf(operation).map(({ schema }) => JSON.stringify(schema)));
  if (others.length > 0) throw new Error(`${operationId} has replies of several types`);
  const type = reply === undefined ? 'void' : typeOf(`${name}Reply`, JSON.parse(reply));
  const result = pageOf(operation) === undefined ? `Promise<${type}>` : `List<${type}>`;
  const text = [summary, ...(description === undefined ? [] : [description]), `${method.toUpperCase()} ${path}`];
  return `  /**\n${text.map((line) => `   * ${line}`).join('\n   *\n')}\n   */
  ${operationId}(${[...argument, options].join(', ')}): ${result};`;
}

const isNamed = (name: string) => /^[\w-]+$/.test(name);
const camelCase = (header: string) => header.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const takesKey = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'idempotency-key');
const parametersIn = ({ parameters = [] }: Operation, place: Parameter['in']) =>
  parameters.filter(
    (parameter) => parameter.in === place && isNamed(parameter.name) && parameter.name !== 'idempotency-key',
  );

/** What an operation takes, as one object: the parameters and the fields of the body; undefined if it takes nothing. */
function inputOf(operation: Operation): { readonly schema: Schema; readonly isOptional: boolean } | undefined {
  const headers = parametersIn(operation, 'header').map((parameter) => ({
    ...parameter,
    name: camelCase(parameter.name),
  }));
  const parameters = [...parametersIn(operation, 'path'), ...parametersIn(operation, 'query'), ...headers];
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const ofParameters = { type: 'object', properties, required };
  const { schema: body, mediaType } = bodyOf(operation) ?? {};
  if (mediaType === CSV) {
    const file = { type: 'string', format: 'binary', description: FILE };
    const withFile = { ...ofParameters, properties: { ...properties, file }, required: [...required, 'file'] };
    return { schema: withFile, isOptional: false };
  }
  if (body === undefined) {
    return parameters.length === 0 ? undefined : { schema: ofParameters, isOptional: required.length === 0 };
  }
  const both: Schema & { allOf: Schema[] } = { allOf: [ofParameters, body] };
  return { schema: parameters.length === 0 ? body : both, isOptional: false };
}

/** How a list is paged; undefined if the operation has all in one reply. */
function pageOf(operation: Operation) {
  const query = new Set(parametersIn(operation, 'query').map(({ name }) => name));
  return Object.entries(PAGES).find(([, parameter]) => query.has(parameter));
}

/** What the client must know to send an operation. */
function requestOf(operation: Operation): object {
  const { method, path } = operation;
  const query = parametersIn(operation, 'query').map(({ name }) => name);
  const headers = parametersIn(operation, 'header').map(({ name }) => [camelCase(name), name]);
  const page = pageOf(operation);
  const body = { 'application/json': 'json', 'multipart/form-data': 'form', [CSV]: 'file' }[
    bodyOf(operation)?.mediaType ?? ''
  ];
  const creates = successesOf(operation).some(({ status }) => status === '201');
  return {
    method: method.toUpperCase(),
    path,
    ...(query.length > 0 && { query }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body && { body }),
    ...(successesOf(operation).some(({ mediaType }) => mediaType === CSV) && { replies: 'text' }),
    ...(page && { page: { next: page[0], parameter: page[1] } }),
    ...(takesKey(operation) && { takesKey: true }),
    // Sent twice, it would create two.
    ...(creates && !takesKey(operation) && { onlyOnce: true }),
    ...(keyOf(operation) === 'none' && { isPublic: true }),
  };
}

const FORMS = new Set(['pattern', 'default']);
const withoutForms = (key: string, value: unknown) =>
  key === 'example' || (FORMS.has(key) && typeof value === 'string') || (key === 'format' && value !== 'binary')
    ? undefined
    : value;
