import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { errorCodesTable, issueCodesTable } from './error-codes-table.ts';
import { ERROR_REPLIES } from './error-replies.ts';
import { errorSchema } from './error-reply.ts';
import type { AppEnv } from './app-env.ts';
import type { ApiExamples } from './api-examples.ts';

type Router = OpenAPIHono<AppEnv>;
type Document = ReturnType<Router['getOpenAPI31Document']>;
type Operation = NonNullable<NonNullable<Document['paths']>[string]['get']>;

const INTRODUCTION = [
  'Deploys token contracts, stores metadata, mints tokens, and reports results by signed webhooks. An accepted order is executed exactly once.',
  '## Errors',
  'Every error has the schema Error. Handle errors by `code`, whose meaning never changes; `message` is for people. `requestId` is the id of the request in the log of the service.',
  errorCodesTable(),
  'Many errors have `errors`, with every issue of the input:',
  issueCodesTable(),
].join('\n\n');

/** The headers that authenticate a request. */
const SECURITY_SCHEMES = {
  accountKey: {
    name: 'x-api-key',
    description: 'A key of the account, made by POST /keys, with the scope that the operation names',
  },
  apiKey: { name: 'x-api-key', description: "The operator's API key, for the account in X-CORPORATE-ID" },
  corporateId: { name: 'X-CORPORATE-ID', description: 'The corporateId or the `_id` of the account' },
  adminKey: { name: 'x-admin-secret-key', description: "The operator's admin key" },
};

/** The tags of operations. */
const TAGS = {
  Service: 'Whether the service works. Public',
  Contracts: 'Token contracts and forwarders: deploy, register, read, transfer the ownership',
  Metadata: 'Documents of tokens: create, read, change the status; and the public documents',
  Credentials: 'Certificates in other formats. Public',
  Minting: 'Orders that mint tokens, signed by the account or by the owner of the contract',
  Imports: 'Files of metadata and mints: upload, check, run',
  Claims: 'Links with which a mint is claimed by its receiver',
  'Gasless transfer': 'Transfers and burns that the holder signs and the account pays for',
  Wallet: 'What a wallet holds',
  Assets: 'Files that tokens show',
  Webhooks: 'Endpoints that get events, deliveries and their replay',
  Account: 'What the account may do',
  Keys: 'Keys of the account',
  Approvals: 'What a second person must approve',
  Audit: 'Which changes were requested, and by whom',
  Admin: 'For the operator of the service',
};

/** The headers of replies, by the name of their component. */
const HEADERS = {
  'X-Request-Id': {
    description: "The id of the request in the log: the caller's X-Request-Id, otherwise a new one",
    schema: { type: 'string', maxLength: 64, example: '0f6b9c1e-6c1a-4d57-9a0e-3f2f7c1f2b11' },
  },
  'X-Trace-Id': {
    description:
      'The id of the trace that the request belongs to: of its `traceparent` (W3C Trace Context), otherwise a new one',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$', example: '4bf92f3577b34da6a3ce929d0e0e4736' },
  },
  Link: {
    description: 'Where the code is explained (RFC 8288); absent from a stored reply',
    schema: { type: 'string', example: '</docs/errors#invalid_input>; rel="help"' },
  },
  'Retry-After': {
    description: 'Seconds until the request can succeed',
    schema: { type: 'integer', minimum: 1, example: 60 },
  },
  RateLimit: {
    description:
      'The limit that is reached, `r` requests left and `t` seconds until it can succeed, in the form of draft-ietf-httpapi-ratelimit-headers',
    schema: { type: 'string', example: '"standard";r=0;t=60' },
  },
  'RateLimit-Policy': {
    description:
      'The limit that the request counts in: `q` requests in `w` seconds, in the form of draft-ietf-httpapi-ratelimit-headers. Each location of the platform counts separately',
    schema: { type: 'string', example: '"standard";q=60000;w=60' },
  },
  'Idempotent-Replayed': {
    description:
      '`true` if this is the stored reply to an earlier request with the same Idempotency-Key; otherwise absent',
    schema: { type: 'string', pattern: '^true$', example: 'true' },
  },
  Age: {
    description: 'Seconds since the document was read; absent if it was read for this request',
    schema: { type: 'integer', minimum: 0, example: 12 },
  },
  'Cache-Control': {
    description: 'How long the reply may be cached, in seconds',
    schema: { type: 'string', example: 'public, max-age=60' },
  },
  ETag: {
    description: 'The version of the document, for If-None-Match; for If-Match of an edit',
    schema: { type: 'string', example: '"5e5e5e"' },
  },
} as const;

type HeaderName = keyof typeof HEADERS;

/** References to headers of a reply, for a route definition. */
export function replyHeaders(...names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** An event for the document. */
interface EventDescription {
  readonly type: string;
  /** When it is sent. */
  readonly when: string;
  /** The body of each attempt. */
  readonly payload: z.ZodObject;
}

/** Registers what belongs to no single route: headers, error replies, security schemes, events. */
export function registerCommonParts(app: Router, events: readonly EventDescription[], examples: ApiExamples): void {
  const registry = app.openAPIRegistry;
  for (const [name, header] of Object.entries(HEADERS)) registry.registerComponent('headers', name, header);
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    registry.registerComponent('securitySchemes', name, { type: 'apiKey', in: 'header', ...scheme });
  }
  registry.register('Error', errorSchema);
  for (const [status, { name, when }] of Object.entries(ERROR_REPLIES)) {
    const example = examples.errors[status];
    registry.registerComponent('responses', name, {
      description: when,
      headers: replyHeaders(
        'X-Request-Id',
        'X-Trace-Id',
        'Link',
        ...(status === '429' ? (['Retry-After', 'RateLimit', 'RateLimit-Policy'] as const) : []),
        ...(status === '503' ? (['Retry-After'] as const) : []),
      ),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          ...(example === undefined ? {} : { example }),
        },
      },
    });
  }
  for (const event of events) registerEvent(app, event, examples);
}

const webhookHeaders = z.object({
  'webhook-id': z.string().meta({
    description: 'Id of the event, the same at each attempt',
    example: 'evt_0190f3c1a2b4d5e6f7a8b9c0',
  }),
  'webhook-timestamp': z.string().meta({ description: 'Time of the attempt, Unix seconds', example: '1793611800' }),
  'webhook-signature': z.string().meta({
    description: 'One or two signatures, separated by a space: v1, and the base64 of an HMAC-SHA256',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
  traceparent: z.string().optional().meta({
    description:
      'W3C Trace Context: the trace of the request that ordered what the event is about; absent if there is none',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }),
});

function registerEvent(app: Router, { type, when, payload }: EventDescription, examples: ApiExamples): void {
  const example = examples.events[type];
  app.openAPIRegistry.registerWebhook({
    method: 'post',
    path: type,
    operationId: `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['Webhooks'],
    summary: when,
    description: 'Signed according to Standard Webhooks. The receiver must reply within 15 seconds.',
    security: [],
    request: {
      headers: webhookHeaders,
      body: {
        required: true,
        content: { 'application/json': { schema: payload, ...(example === undefined ? {} : { example }) } },
      },
    },
    responses: {
      '2XX': { description: 'Delivered' },
      '4XX': { description: 'Rejected: the delivery is FAILED, without another attempt' },
      '5XX': { description: 'Failed: another attempt follows, up to five' },
    },
  });
}

/** The API document, without the servers: it takes long to make, and they depend on the request. */
export function apiDocument(app: Router, version: string, examples: ApiExamples): Document {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'NFT issuance service',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT' },
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of [path.get, path.put, path.post, path.patch, path.delete]) {
      if (operation !== undefined) complete(operation, examples.operations[operation.operationId ?? '']);
    }
  }
  return document;
}

/** @param origin Scheme and host that a document is served at. */
export function withServer(document: Document, origin: string): Document {
  const contact = { name: 'The operator of this deployment', url: origin };
  return {
    ...document,
    info: { ...document.info, contact },
    servers: [{ url: origin, description: 'This deployment' }],
  };
}

/** Adds the headers that every reply has, and the recorded examples. Error replies are components, which have both. */
function complete(operation: Operation, examples: ApiExamples['operations'][string] | undefined): void {
  const isIdempotent = (operation.parameters ?? []).some(
    (parameter) => 'name' in parameter && parameter.name === 'idempotency-key',
  );
  const common: HeaderName[] = [
    'X-Request-Id',
    'X-Trace-Id',
    ...(isIdempotent ? (['Idempotent-Replayed'] as const) : []),
    ...('x-rate-class' in operation ? (['RateLimit-Policy'] as const) : []),
  ];
  for (const [status, reply] of Object.entries(operation.responses ?? {})) {
    if (typeof reply !== 'object' || '$ref' in reply) continue;
    reply.headers = { ...reply.headers, ...replyHeaders(...common) };
    const content = reply.content?.['application/json'];
    const example = examples?.replies[status];
    if (content !== undefined && example !== undefined) content.example = example;
  }
  const { requestBody } = operation;
  if (requestBody === undefined || '$ref' in requestBody) return;
  const content = requestBody.content['application/json'];
  if (content === undefined) return;
  if (content.schema !== undefined) content.schema = withoutExclusion(content.schema);
  if (examples?.request !== undefined) content.example = examples.request;
}

/**
 * Two forms that a field tells apart which one of them may lack: no body has both, but linters of `oneOf` want the
 * field in both, so that it is `anyOf` here.
 */
function withoutExclusion<Schema extends object>(schema: Schema): Schema {
  if (!('oneOf' in schema) || 'discriminator' in schema) return schema;
  const { oneOf, ...rest } = schema;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a schema again
  return { ...rest, anyOf: oneOf } as unknown as Schema;
}
