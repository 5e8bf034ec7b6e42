/** A JSON Schema, as far as the API document and the schemas of metadata use it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: string | number | boolean;
  readonly example?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly then?: Schema;
  readonly else?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** Media types and what they carry. */
type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

export interface Reply {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Reply>>;
  readonly 'x-scopes'?: readonly string[];
}

/** The parts of the API document that the site shows. */
export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DescribedOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Reply>>;
  };
}

/** An operation, or an event, with where it is. */
export interface Operation extends DescribedOperation {
  /** In lower case. */
  readonly method: string;
  /** With its parameters in braces; of an event, its type. */
  readonly path: string;
  readonly isEvent: boolean;
}

/** The operations, in the order of the document. */
export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path, isEvent: false })),
  );
}

/** The events, in the order of the document. */
export function eventsOf({ webhooks }: ApiDocument): Operation[] {
  return Object.entries(webhooks).map(([path, { post }]) => ({ ...post, method: 'post', path, isEvent: true }));
}

/** The operator's tag. */
const OPERATOR_TAG = 'Admin';

export function isForOperators({ tags }: Pick<Operation, 'tags'>): boolean {
  return tags[0] === OPERATOR_TAG;
}

/**
 * The tags for partners and for the operator, with the operations that have them: those of the resource that most of
 * them are about first, what changes something before what reads, short paths before long ones.
 */
export function operationsByTag(document: ApiDocument) {
  const operations = operationsOf(document);
  const groups = document.tags.map(({ name, description }) => {
    const ofTag = operations.filter(({ tags }) => tags[0] === name);
    const rankOf = ({ path, method }: Operation) => {
      const [, resource = '', ...rest] = path.split('/');
      const ofResource = ofTag.filter((other) => other.path.split('/')[1] === resource).length;
      return [-ofResource, method === 'get' ? 1 : 0, rest.length] as const;
    };
    const ranked = ofTag.map((operation) => ({ operation, rank: rankOf(operation) }));
    ranked.sort((one, other) => one.rank.map((part, index) => part - (other.rank[index] ?? 0)).find(Boolean) ?? 0);
    return { name, description, operations: ranked.map(({ operation }) => operation) };
  });
  return {
    partners: groups.filter(({ name }) => name !== OPERATOR_TAG),
    operators: groups.filter(({ name }) => name === OPERATOR_TAG),
  };
}

/** An operation's id with hyphens, such as `order-mint`. */
export function slugOf({ operationId }: Pick<Operation, 'operationId'>): string {
  return operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The path of an operation's page. */
export function pathOfOperation(operation: Pick<Operation, 'operationId'>): string {
  return `/docs/reference/${slugOf(operation)}`;
}

/** The key that a caller sends: of an account, of the operator, or none. */
export function keyOf({ security }: Pick<Operation, 'security'>): 'account' | 'operator' | 'none' {
  if (security.some((scheme) => 'accountKey' in scheme)) return 'account';
  return security.length > 0 ? 'operator' : 'none';
}

/** The body that an operation takes, with its media type; undefined if it takes none. */
export function bodyOf({ requestBody }: Pick<Operation, 'requestBody'>) {
  const [entry] = Object.entries(requestBody?.content ?? {});
  return entry === undefined ? undefined : { mediaType: entry[0], ...entry[1] };
}

/** The replies of success, by status, with their first media type. */
export function successesOf({ responses }: Pick<Operation, 'responses'>) {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { description = '', content = {} }]) => {
      const [entry] = Object.entries(content);
      return { status, description, ...(entry && { mediaType: entry[0], ...entry[1] }) };
    });
}

/** A schema, or what its reference names, with the name. */
export function resolve(
  { components }: ApiDocument,
  schema: Schema,
): { readonly name?: string; readonly schema: Schema } {
  if (schema.$ref === undefined) return { schema };
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = components.schemas[name];
  if (found === undefined) throw new Error(`The API document has no ${schema.$ref}`);
  return { name, schema: { ...found, ...(schema.description !== undefined && { description: schema.description }) } };
}

/** The replies of failure, by status, with when they are given. */
export function failuresOf({ components }: ApiDocument, { responses }: Pick<Operation, 'responses'>) {
  return Object.entries(responses)
    .filter(([status]) => !/^[23]/.test(status))
    .map(([status, { $ref, description = '' }]) => ({
      status,
      description: components.responses[$ref?.replace('#/components/responses/', '') ?? '']?.description ?? description,
    }));
}

/** An example of a parameter's value. @throws if the document has none. */
export function exampleOf({ name, schema }: Parameter): string {
  const example = schema.example ?? schema.enum?.[0];
  if (example === undefined) throw new Error(`The parameter ${name} has no example`);
  return typeof example === 'string' ? example : JSON.stringify(example);
}
