// oxlint-disable-next-line typescript/no-explicit-any -- parts of an API document, read by name
export type Loose = any;

/** An operation of the API document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The schema of its JSON body. */
  readonly body: Loose;
  /** How a file is sent: in a form, or as CSV; undefined if none is. */
  readonly upload: 'form' | 'csv' | undefined;
  /** The ways to authenticate: the names of security schemes. None: it is public. */
  readonly security: readonly (readonly string[])[];
  readonly responses: Loose;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Loose;
}

function uploadOf(content: Loose = {}): Operation['upload'] {
  if (content['text/csv'] !== undefined) return 'csv';
  return content['multipart/form-data'] === undefined ? undefined : 'form';
}

/** All operations of a document. */
export function operationsOf(document: Loose): Operation[] {
  return Object.entries<Loose>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Loose>(methods).map(([method, definition]) => ({
      id: definition.operationId,
      method: method.toUpperCase(),
      path,
      parameters: (definition.parameters ?? []).map((parameter: Loose) => ({ required: false, ...parameter })),
      body: definition.requestBody?.content['application/json']?.schema,
      upload: uploadOf(definition.requestBody?.content),
      security: (definition.security ?? []).map((schemes: object) => Object.keys(schemes)),
      responses: definition.responses,
    })),
  );
}

/** What a reference within the document points to; anything else unchanged. */
export function resolved(document: Loose, part: Loose): Loose {
  const reference: unknown = part?.$ref;
  if (typeof reference !== 'string') return part;
  let target = document;
  for (const key of reference.replace(/^.*#\//, '').split('/')) target = target[key];
  return resolved(document, target);
}
