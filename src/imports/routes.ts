import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { AppEnv } from '../http/app-env.ts';
import { hashedBody, withBody } from '../http/request-body.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { bodiless, creatingBody } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { DomainError } from '../core/domain-error.ts';
import { chainIdField, contractAddressField, recordIdParams } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import { SCHEMA_VERSIONS } from '../catalog/metadata/schemas.ts';
import { acceptImport, FILE_FORMATS, MAX_ACCOUNT_IMPORTS, MAX_FILE_BYTES, MAX_ROWS } from './accept-import.ts';
import { cancelImport, pauseImport, resumeImport, startImport, startInput } from './change-import.ts';
import { importReply, importSchema, kindField, listedImportSchema } from './import-reply.ts';
import { writeResult } from './import-result.ts';
import { getImport, importListQuery, listImports } from './read-imports.ts';
import { templateOf } from './template.ts';

const tags = ['Imports'];

const access = { scope: 'mint', orScope: 'metadata' } as const;

const uploadQuery = z.object({
  kind: kindField.meta({
    description: 'What a row creates. metadata: a document. mints: a mint. tokens: a document and its mint',
  }),
  chainId: chainIdField,
  contractAddress: contractAddressField
    .optional()
    .meta({ description: 'Required for mints and tokens; absent for metadata' }),
});

const templateQuery = z.object({
  kind: kindField.meta({ description: 'What a row creates' }),
  schema: z.enum(SCHEMA_VERSIONS).optional().meta({
    description: 'The schema of the documents. Default: opensea_flexible@1.0.0',
    example: 'ticket_schema@1.0.0',
  }),
});

const file = z.string().meta({
  format: 'binary',
  maxLength: MAX_FILE_BYTES,
  description: `At most ${MAX_ROWS} rows`,
  example:
    'receiverAddress,tokenId,metadataId\r\n0x8ba1f109551bD432803012645Ac136ddd64DBA72,1,0190f3c1a2b4d5e6f7a8b9c0\r\n',
});

const csv = (description: string, example: string) => ({
  description,
  content: { 'text/csv': { schema: z.string().meta({ description, example }) } },
});

/** Rejects a body that is no file with 415, before its parameters are looked at. */
const requireFile: MiddlewareHandler<AppEnv> = async (c, next) => {
  requireFormat(c);
  await next();
};

/** The actions on an import that take no body. */
const ACTIONS = [
  {
    name: 'pause',
    act: pauseImport,
    summary: 'Pause an import',
    description: 'Rows being accepted at this moment, up to 100, are finished. 409 if it is not RUNNING.',
    status: 'PAUSED',
  },
  {
    name: 'resume',
    act: resumeImport,
    summary: 'Resume an import',
    description: 'From then on, its rows are accepted on behalf of the caller. 409 if it is not PAUSED.',
    status: 'RUNNING',
  },
  {
    name: 'cancel',
    act: cancelImport,
    summary: 'Cancel an import',
    description:
      'No further row is accepted, except those that are being accepted at this moment, up to 100. What was accepted stays: its mints can be cancelled with POST /minting/cancel. 409 if it has ended.',
    status: 'CANCELLED',
  },
] as const;

export const importRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/imports',
      operationId: 'createImport',
      tags,
      summary: 'Upload a file of metadata, mints or both',
      description: `Reads the file as it arrives; then its rows are checked, and nothing is made before POST /imports/{id}/start. CSV in UTF-8, separated by commas, semicolons or tabs, with the columns of GET /imports/template; or JSON lines, each the body of a request. At most ${MAX_ROWS} rows and ${MAX_FILE_BYTES / 1_048_576} MB. Scopes: \`metadata\` for metadata, \`mint\` for mints, both for tokens. 409 if the account has ${MAX_ACCOUNT_IMPORTS} imports that have not ended, or 1 GB of their files.`,
      ...access,
      rateClass: 'upload',
      middleware: [requireFile],
      request: {
        query: uploadQuery,
        body: {
          required: true,
          content: { 'text/csv': { schema: file }, 'application/x-ndjson': { schema: file } },
        },
      },
      responses: {
        201: jsonReply('The import, CHECKING', importSchema),
        ...errorReplies(400, 401, 403, 404, 409, 413),
      },
    }),
    async (c) => {
      const { body } = c.req.raw;
      const stored = await withBody(body === null ? null : hashedBody(c, body), MAX_FILE_BYTES, (bytes) =>
        acceptImport(tenantServices(c), { ...c.req.valid('query'), format: requireFormat(c) }, bytes),
      );
      return c.json(importReply(stored), 201);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/imports',
      operationId: 'listImports',
      tags,
      summary: 'List imports, newest first',
      scope: 'read',
      request: { query: importListQuery },
      responses: { 200: jsonReply('A page', pageSchema(listedImportSchema)), ...errorReplies(400, 401, 403) },
    }),
    async (c) => c.json(await listImports(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/imports/template',
      operationId: 'getImportTemplate',
      tags,
      summary: 'Read a template for a file',
      description: 'CSV with the columns of the kind and of the schema, and one row as an example.',
      scope: 'read',
      request: { query: templateQuery },
      responses: {
        200: csv('The template', 'receiverAddress,tokenId,amount,metadataId,tokenUri,metadataHash'),
        ...errorReplies(400, 401, 403),
      },
    }),
    (c) => {
      const { kind, schema } = c.req.valid('query');
      return csvReply(c, templateOf(kind, schema), `template-${kind}.csv`);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/imports/{id}',
      operationId: 'getImport',
      tags,
      summary: 'Read an import',
      description: 'Its progress, and what the check found. Kept for 30 days after its last change.',
      scope: 'read',
      request: { params: recordIdParams },
      responses: { 200: jsonReply('The import', importSchema), ...errorReplies(400, 401, 403, 404) },
    }),
    async (c) => c.json(importReply(await getImport(tenantServices(c), c.req.valid('param').id)), 200),
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/imports/{id}/start',
      operationId: 'startImport',
      tags,
      summary: 'Start an import',
      description:
        'Its rows are accepted or rejected as by POST /metadata and POST /minting/order, on behalf of the caller. 409 if it is not CHECKED, or has faults and skipFaulty is not true.',
      ...access,
      ...startBody(),
      responses: {
        200: jsonReply('The import, RUNNING', importSchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422),
      },
    }),
    async (c) => {
      const started = await startImport(tenantServices(c), c.req.valid('param').id, c.req.valid('json'));
      return c.json(importReply(started), 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/imports/{id}/result',
      operationId: 'getImportResult',
      tags,
      summary: 'Read the result of every row',
      description:
        'CSV: the row; its status, which is CREATED for a document, that of the mint, REFUSED or NOT_ACCEPTED; the ids of what was made; token, transaction and error. Before the end of the import, what is known so far.',
      scope: 'read',
      rateClass: 'upload',
      request: { params: recordIdParams },
      responses: {
        200: csv('The result', 'row,status,metadataId,orderId,tokenId,txHash,error'),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const services = tenantServices(c);
      const one = await getImport(services, c.req.valid('param').id);
      return csvReply(c, toStream(writeResult(services, one)), `import-${one.id}.csv`);
    },
  );

for (const { name, act, summary, description, status } of ACTIONS) {
  importRoutes.openapi(
    corporateRoute({
      method: 'post',
      path: `/imports/{id}/${name}`,
      operationId: `${name}Import`,
      tags,
      summary,
      description,
      ...access,
      ...bodiless(recordIdParams),
      responses: {
        200: jsonReply(`The import, ${status}`, importSchema),
        ...errorReplies(400, 401, 403, 404, 409, 422),
      },
    }),
    async (c) => c.json(importReply(await act(tenantServices(c), c.req.valid('param').id)), 200),
  );
}

function startBody() {
  const { middleware, request } = creatingBody(startInput);
  return { middleware, request: { ...request, params: recordIdParams } };
}

/** @throws {DomainError} `wrong-media-type` */
function requireFormat({ req }: Context<AppEnv>) {
  const [type = '', ...parameters] = (req.header('content-type') ?? '').toLowerCase().split(';');
  const format = Object.entries(FILE_FORMATS).find(([mediaType]) => mediaType === type.trim())?.[1];
  const isUtf8 = parameters.every(
    (text) => !/^\s*charset\s*=/.test(text) || /^\s*charset\s*=\s*"?utf-?8"?\s*$/.test(text),
  );
  if (format !== undefined && isUtf8) return format;
  throw new DomainError(
    'unsupported_media_type',
    `The Content-Type must be ${Object.keys(FILE_FORMATS).join(' or ')}, in UTF-8`,
  );
}

function csvReply(c: Context<AppEnv>, body: string | ReadableStream, fileName: string) {
  c.header('Content-Type', 'text/csv; charset=utf-8');
  c.header('Content-Disposition', `attachment; filename="${fileName}"`);
  return c.body(body, 200);
}

/** Pieces are made as they are read. */
function toStream(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
