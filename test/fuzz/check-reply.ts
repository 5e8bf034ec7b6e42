import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { closedSchema } from '../fixtures/closed-schema.ts';
import { type Loose, type Operation, operationsOf, resolved } from './api-document.ts';
import type { BuiltRequest } from './build-request.ts';
import { parsedBytes } from './parsed-bytes.ts';
import type { WireReply } from './send.ts';

/** Tells what is wrong with a reply. */
export interface ReplyChecker {
  /** @returns one line for each fault; none: the reply is as documented. */
  faultsOf(request: BuiltRequest, reply: WireReply): string[];
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** What a decoder puts in place of bytes and surrogates that are no character. */
const REPLACEMENT = '\ufffd';
/** The longest body that an operation accepts (docs/api.md). */
const BODY_BYTES = 64 * 1_024;
const LONGER_BODY_BYTES: Readonly<Record<string, number>> = {
  createMetadata: 512 * 1_024,
  editMetadata: 512 * 1_024,
  setAccountLimits: 128 * 1_024,
};
/** What stops a request before its values are looked at, or because of them. */
const REFUSED_EARLY = new Set([400, 401, 405, 413, 415]);

/** Whether a request got past validation: what the reply says depends on the state of the service. */
export function isPastValidation({ status, text }: WireReply): boolean {
  return !REFUSED_EARLY.has(status) && !(status === 404 && text.includes('"No route '));
}

export function createChecker(document: Loose): ReplyChecker {
  // References within the document become references to the schema of this name.
  const local = JSON.parse(JSON.stringify(document).replaceAll('"#/components/', '"api#/components/'));
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { 'date-time': DATE_TIME },
    validateFormats: true,
    logger: false,
  });
  ajv.addSchema({ $id: 'api', components: closedSchema(local.components) }, 'api');
  const requests = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  requests.addSchema({ $id: 'api', components: local.components }, 'api');
  const compiled = new Map<string, ValidateFunction>();
  const validator = (key: string, make: () => ValidateFunction) => {
    const known = compiled.get(key) ?? make();
    compiled.set(key, known);
    return known;
  };
  const operations = operationsOf(local);

  return {
    faultsOf(request, reply) {
      const operation = operationAt(operations, request);
      const documented = resolved(document, operation?.responses[reply.status]);
      const [type = 'application/json'] = Object.keys(documented?.content ?? {});
      const faults = [...headerFaults(operation, request, reply, type)];
      if (reply.status >= 500) faults.push(`status ${reply.status}`);
      if (request.method === 'HEAD') return faults;
      const body = parsed(reply.text);
      if (reply.status >= 400) {
        const validate = validator('error', () => ajv.compile({ $ref: 'api#/components/schemas/Error' }));
        faults.push(...errorFaults(validate, request, reply, body));
      }
      if (operation === undefined) return faults;
      if (documented === undefined) return [...faults, `status ${reply.status} is in no document`];
      const schema = documented.content?.['application/json']?.schema;
      if (reply.status < 400 && schema !== undefined) {
        const validate = validator(`${operation.id} ${reply.status}`, () =>
          ajv.compile(closedSchema(operation.responses[reply.status].content['application/json'].schema)),
        );
        if (!validate(body)) faults.push(`the body is not as documented: ${ajv.errorsText(validate.errors)}`);
      }
      faults.push(...parameterFaults(requests, operation, request, reply, body));
      if (operation.body !== undefined) {
        faults.push(...bodyFaults(operation, request, reply));
        const validate = validator(`the request of ${operation.id}`, () => requests.compile(operation.body));
        faults.push(...inputFaults(validate, { request, ignored: ignoredIn(document, operation.body) }, reply, body));
      }
      return faults;
    },
  };
}

/** The operation that the method and the path of a request lead to. */
function operationAt(operations: readonly Operation[], { method, path }: BuiltRequest): Operation | undefined {
  // As the service sees it: dots are resolved.
  const pathname = URL.parse(`http://service.test${path}`)?.pathname ?? '';
  const ofPath = operations.filter(({ path: form }) =>
    new RegExp(`^${form.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  // A path with fewer parameters hides the others, whichever methods it has.
  const fewest = Math.min(...ofPath.map(parametersIn));
  const asked = method === 'HEAD' ? 'GET' : method;
  return ofPath.find((one) => one.method === asked && parametersIn(one) === fewest);
}

function parametersIn({ path }: Operation): number {
  return path.split('{').length - 1;
}

function* headerFaults(
  operation: Operation | undefined,
  { method }: BuiltRequest,
  { status, headers, text }: WireReply,
  type: string,
): Generator<string> {
  const requestId = String(headers['x-request-id']);
  if (!/^[\w=-]{1,64}$/.test(requestId)) yield `x-request-id is ${requestId}`;
  if (headers['x-content-type-options'] !== 'nosniff') yield 'nosniff is missing';
  const isPublic = operation?.security.length === 0;
  const caching = headers['cache-control'];
  if (operation !== undefined && !(isPublic && status < 400) && caching !== 'no-store')
    yield `cache-control is ${caching}`;
  const isOfType = String(headers['content-type']).split(';')[0] === type;
  if (method !== 'HEAD' && text !== '' && (operation !== undefined || status >= 400) && !isOfType)
    yield `content-type is ${headers['content-type']}`;
  if (status === 429 && headers['retry-after'] === undefined) yield 'retry-after is missing';
}

/** The common form of errors. */
function* errorFaults(
  validate: ValidateFunction,
  request: BuiltRequest,
  { status }: WireReply,
  body: Loose,
): Generator<string> {
  const isValid: boolean = validate(body);
  if (!isValid) {
    yield `the error is not in the common form: ${JSON.stringify(validate.errors)}`;
    return;
  }
  if (body.statusCode !== status) yield `statusCode is ${body.statusCode}`;
  const [pathname = ''] = request.path.split('?');
  // The runtime resolves dots, and the service decodes.
  const isAsSent = !/%|\/\.|\/\//.test(pathname);
  if (isAsSent ? body.path !== pathname : !body.path.startsWith('/')) yield `path is ${body.path}`;
  if (body.message === '') yield 'the message is empty';
  if (body.errors?.length === 0) yield 'errors is empty';
  if (status === 400 && body.errors === undefined && isInputNamed(request, body.message)) yield 'errors is missing';
  const isOfMetadata = body.message === 'Metadata validation failed';
  if (isOfMetadata && !body.errors?.every((issue: object) => 'schemaVersion' in issue && 'type' in issue)) {
    yield 'an error of metadata lacks schemaVersion or type';
  }
}

/** Whether a refusal is about values that have names: a body that is no JSON has none, nor has what a contract does. */
function isInputNamed({ body }: BuiltRequest, message: string): boolean {
  if (/^Reverted: |^The contract returns more/.test(message)) return false;
  return body === undefined || parsedBytes(body) !== undefined;
}

/** Whether the service and the document agree on the parameters. */
function* parameterFaults(
  ajv: Ajv2020,
  operation: Operation,
  request: BuiltRequest,
  { status }: WireReply,
  body: Loose,
): Generator<string> {
  const invalid = operation.parameters.filter(({ name, schema }) => {
    const value = request.parameters.get(name);
    return value !== undefined && !ajv.validate(schema, typed(schema, value));
  });
  const names = invalid.map(({ name }) => name);
  if (status < 300 && names.length > 0) yield `accepted, although the document does not allow ${names.join(', ')}`;
  if (status !== 400 || !Array.isArray(body?.errors)) return;
  const named: string[] = body.errors.map(({ path }: { path: string }) => path);
  // Those of the path, of the query and of the headers are looked at one after another.
  const seen = operation.parameters.find(({ name }) => named.some((path) => path.split('.')[0] === name));
  for (const { name, in: where } of invalid) {
    if (where === seen?.in && !named.some((path) => path.split('.')[0] === name))
      yield `the errors do not name ${name}`;
  }
  if (request.isFromSchema && operation.body === undefined && operation.upload === undefined && names.length === 0)
    yield 'refused, although the document allows it';
}

/** A parameter in the type that the document gives it. The items of a list may also be in one text, between commas. */
function typed({ type }: Loose, value: string | readonly string[]): unknown {
  if (type === 'integer') return /^-?\d+$/.test(String(value)) ? Number(value) : value;
  return type === 'array' ? [value].flat().flatMap((items) => items.split(',').map((item) => item.trim())) : value;
}

/** Whether a body that is too long, or no JSON in UTF-8, is refused, and a text is as it was sent. */
function* bodyFaults({ id }: Operation, { body }: BuiltRequest, { status, text }: WireReply): Generator<string> {
  const limit = LONGER_BODY_BYTES[id] ?? BODY_BYTES;
  if (body !== undefined && body.length > limit) {
    // The caller is looked at first.
    if (![401, 403, 413].includes(status)) yield `a body of ${body.length} bytes is not refused as too long`;
  } else if (status === 413 && id !== 'editMetadata') yield 'refused as too long, although the body is not';
  if (status >= 300) return;
  if (parsedBytes(body) === undefined) yield 'a body that is no JSON in UTF-8 is accepted';
  if (text.includes(REPLACEMENT) && !Buffer.from(body ?? []).includes(REPLACEMENT)) yield 'a character was replaced';
}

/** The fields of a body, or of the items of its lists, that the document calls ignored: they may have any value. */
function ignoredIn(document: Loose, schema: Loose): ReadonlySet<string> {
  const { properties = {} } = resolved(document, schema) ?? {};
  return new Set(
    Object.entries<Loose>(properties).flatMap(([name, field]) => {
      const { description = '', items } = resolved(document, field);
      return /\bignored\b/i.test(description) ? [name] : items === undefined ? [] : [...ignoredIn(document, items)];
    }),
  );
}

/** Whether the service sees the faults of a body that the document sees. */
function* inputFaults(
  validate: ValidateFunction,
  { request, ignored }: { readonly request: BuiltRequest; readonly ignored: ReadonlySet<string> },
  { status }: WireReply,
  body: Loose,
): Generator<string> {
  const given = parsedBytes(request.body);
  if (given === undefined || validate(given)) return;
  // Each item of a batch is refused on its own.
  const issues = (validate.errors ?? []).filter(({ instancePath }) => {
    const [, item, field = ''] = /^(?:\/(?:orders|claims|revocations)\/(\d+))?(?:\/(\w+))?/.exec(instancePath) ?? [];
    if (ignored.has(field)) return false;
    return item === undefined || (status < 300 && body?.results?.[item]?.statusCode !== 400);
  });
  if (issues.length === 0) return;
  if (status < 300)
    yield `accepted, which the document does not allow: ${issues.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')}`;
  const isListed = status === 400 && Array.isArray(body?.errors) && !String(body.message).startsWith('Metadata');
  if (!isListed || issues.some(({ keyword }) => ['oneOf', 'anyOf'].includes(keyword))) return;
  // The query is looked at before the body.
  const ofBody = body.errors.filter(({ message }: Loose) => !String(message).startsWith('Unknown query parameter'));
  const named: string[] = ofBody.map(({ path }: { path: string }) => path);
  const isAboutBody = named.some(
    (name) => name === '' || Object.hasOwn(Object(given), name.split('.')[0] ?? '') || isMissing(issues, name),
  );
  if (!isAboutBody) return;
  for (const field of new Set(issues.flatMap(fieldOf))) {
    if (!named.some((name) => name === '' || name === field || name.startsWith(`${field}.`)))
      yield `the errors do not name ${field}`;
  }
}

function isMissing(issues: readonly ErrorObject[], name: string): boolean {
  return issues.some(({ params }) => params['missingProperty'] === name);
}

/** The field at the top of a body that an issue is about. */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const [, field] = instancePath.split('/');
  if (field !== undefined) return [field.replaceAll('~1', '/').replaceAll('~0', '~')];
  return keyword === 'required' ? [String(params['missingProperty'])] : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
