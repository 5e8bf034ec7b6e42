import { expect, it } from 'vitest';
import { operationsOf } from './api-document.ts';
import type { BuiltRequest } from './build-request.ts';
import { createChecker } from './check-reply.ts';
import { Tenant } from './tenant.ts';

const error = {
  type: 'object',
  properties: {
    statusCode: { type: 'integer' },
    message: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
    path: { type: 'string' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
  required: ['statusCode', 'message', 'timestamp', 'path'],
};
const thing = {
  type: 'object',
  properties: { name: { type: 'string' }, count: { type: 'integer' } },
  required: ['name'],
};
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const document = {
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'makeThing',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^\\d+$' } }],
        requestBody: json({ $ref: '#/components/schemas/Thing' }),
        security: [{ key: [] }],
        responses: {
          201: json({ $ref: '#/components/schemas/Thing' }),
          400: { $ref: '#/components/responses/Bad' },
          413: { $ref: '#/components/responses/Bad' },
        },
      },
    },
    '/things': {
      get: {
        operationId: 'listThings',
        parameters: [
          { name: 'of', in: 'query', schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
        ],
        security: [{ key: [] }],
        responses: { 200: { content: { 'text/plain': { schema: { type: 'string' } } } } },
      },
    },
    '/things/rules': { put: { operationId: 'setRules', security: [{ key: [] }], responses: { 200: json(thing) } } },
  },
  components: {
    schemas: { Thing: thing, Error: error },
    responses: { Bad: json({ $ref: '#/components/schemas/Error' }) },
  },
};
const checker = createChecker(document);

const headers = {
  'x-request-id': 'a1',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-type': 'application/json',
};
const burner = { address: '0x', privateKey: '0x' } as const;
const tenant = new Tenant({ corporateId: 'a', credentials: {}, reserved: [], signers: [], burner, webhookUrl: '' });

function request(body: unknown = { name: 'a' }, id = '1'): BuiltRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method: 'POST',
    path: `/things/${id}`,
    headers: [],
    body: Buffer.from(text),
    tenant,
    isFromSchema: false,
    parameters: new Map([['id', id]]),
  };
}

const made = { status: 201, headers, text: '{"name":"a"}' };
const refused = (errors: object[] = [{ path: 'name', message: 'must be a string' }], more: object = {}) => ({
  status: 400,
  headers,
  text: JSON.stringify({
    statusCode: 400,
    message: 'Invalid',
    timestamp: '2026-11-02T09:30:00.000Z',
    path: '/things/1',
    errors,
    ...more,
  }),
});

it('finds nothing in replies as documented', () => {
  expect(operationsOf(document)).toHaveLength(3);
  expect(checker.faultsOf(request(), made)).toEqual([]);
  expect(checker.faultsOf(request({ name: 1 }), refused())).toEqual([]);
});

it.each([
  ['a server error', { ...refused(), status: 500, text: refused().text.replace('400', '500') }, 'status 500'],
  ['a status that is not documented', { ...made, status: 202 }, 'status 202 is in no document'],
  ['a body that is not documented', { ...made, text: '{"name":1}' }, 'the body is not as documented'],
  ['a field that is not documented', { ...made, text: '{"name":"a","secret":1}' }, 'the body is not as documented'],
  ['an error in another form', { ...refused(), text: '{"error":"no"}' }, 'not in the common form'],
  ['an error that names another status', refused([], { statusCode: 404 }), 'statusCode is 404'],
  ['an error without a reason', refused([], { message: '' }), 'the message is empty'],
  ['a refusal that names nothing', refused(undefined, { errors: undefined }), 'errors is missing'],
  ['an empty list of errors', refused([]), 'errors is empty'],
  ['text', { ...made, headers: { ...headers, 'content-type': 'text/html' } }, 'content-type is text/html'],
  [
    'a reply that may be cached',
    { ...made, headers: { ...headers, 'cache-control': 'public' } },
    'cache-control is public',
  ],
  ['a reply without its id', { ...made, headers: { ...headers, 'x-request-id': '' } }, 'x-request-id is'],
  [
    'a reply that may be sniffed',
    { ...made, headers: { ...headers, 'x-content-type-options': '' } },
    'nosniff is missing',
  ],
])('finds %s', (_, reply, fault) => {
  expect(checker.faultsOf(request(), reply)).toContainEqual(expect.stringContaining(fault));
});

it('finds a request that is accepted against the document', () => {
  expect(checker.faultsOf(request({ name: 1 }), made)).toContainEqual(
    expect.stringContaining('accepted, which the document'),
  );
  expect(checker.faultsOf(request({ name: 'a' }, 'x'), made)).toContainEqual(
    expect.stringContaining('does not allow id'),
  );
});

const list = (of: string): BuiltRequest => ({
  ...request(),
  method: 'GET',
  path: '/things',
  body: undefined,
  parameters: new Map([['of', of]]),
});

it('knows the type of a reply, and the forms of a list, from the document', () => {
  const text = { status: 200, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' }, text: 'a' };
  expect(checker.faultsOf(list('a, b'), text)).toEqual([]);
  expect(checker.faultsOf(list('a, c'), text)).toEqual(['accepted, although the document does not allow of']);
  expect(checker.faultsOf(list('a'), { ...text, headers })).toEqual(['content-type is application/json']);
});

it('finds a fault of the input that the errors do not name', () => {
  const both = request({ name: 1, count: 'a' });
  expect(checker.faultsOf(both, refused())).toEqual(['the errors do not name count']);
  expect(checker.faultsOf(request({ count: 'a' }), refused([{ path: 'count', message: 'must be a number' }]))).toEqual([
    'the errors do not name name',
  ]);
});

it('takes the last of repeated members, and ignores what is no JSON', () => {
  expect(checker.faultsOf(request('{"name":1,"name":"a"}'), made)).toEqual([]);
  expect(checker.faultsOf(request('{"name":1'), refused(undefined, { errors: undefined }))).toEqual([]);
});

it('finds a body that is accepted although it is not valid JSON in UTF-8', () => {
  const bodies = ['', '{"name":"a"', '{"name":"a"}{}', '{"name":"a"}\0', Buffer.from('{"name":"\u00e9"}', 'latin1')];
  for (const body of bodies) {
    const sent = { ...request(), body: Buffer.from(body) };
    expect(checker.faultsOf(sent, made)).toEqual(['a body that is no JSON in UTF-8 is accepted']);
    expect(checker.faultsOf(sent, refused(undefined, { errors: undefined }))).toEqual([]);
  }
  const withMark = { ...request(), body: Buffer.from('\ufeff{"name":"a"}') };
  expect(checker.faultsOf(withMark, made)).toEqual([]);
});

it('finds a body over the limit that is not refused as too long, and one below that is', () => {
  const long = request(`{"name":"a"}${' '.repeat(64 * 1_024)}`);
  const tooLong = { ...refused(undefined, { errors: undefined, statusCode: 413 }), status: 413 };
  expect(checker.faultsOf(long, made)).toContainEqual(expect.stringContaining('not refused as too long'));
  expect(checker.faultsOf(long, refused())).toContainEqual(expect.stringContaining('not refused as too long'));
  expect(checker.faultsOf(long, tooLong)).toEqual([]);
  expect(checker.faultsOf(request(), tooLong)).toEqual(['refused as too long, although the body is not']);
});

it('finds a character that was replaced', () => {
  const reply = { ...made, text: '{"name":"\ufffd"}' };
  expect(checker.faultsOf(request('{"name":"\\ud800"}'), reply)).toEqual(['a character was replaced']);
  expect(checker.faultsOf(request('{"name":"\ufffd"}'), reply)).toEqual([]);
});

it('takes a path without parameters for no other, whichever methods it has', () => {
  const wrongMethod = {
    ...refused(undefined, { errors: undefined, statusCode: 405, path: '/things/rules' }),
    status: 405,
  };
  expect(checker.faultsOf(request({}, 'rules'), wrongMethod)).toEqual([]);
});
