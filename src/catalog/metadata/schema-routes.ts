import { createRoute } from '@hono/zod-openapi';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { notFound } from '../../core/domain-error.ts';
import { limitAddress } from '../../http/address-limit.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { REFUSED_EARLY, errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter } from '../../http/router.ts';
import { publicDocumentSchema } from './metadata-reply.ts';
import { SCHEMA_EXAMPLES } from './schema-examples.ts';
import {
  DEFAULT_SCHEMA_VERSION,
  SCHEMA_VERSIONS,
  UTILITY_TYPES,
  isSchemaVersion,
  schemaOf,
  typeOf,
} from './schemas.ts';

const MAX_AGE_SECONDS = 3_600;
const tags = ['Metadata'];

const listSchema = z
  .object({
    items: z
      .array(
        z.object({
          schemaVersion: z.enum(SCHEMA_VERSIONS).meta({ description: 'Name and version of the schema' }),
          type: z.enum(UTILITY_TYPES).meta({ description: 'The utility.type that it is for' }),
          isDefault: z.boolean().meta({ description: 'Whether it applies to requests without schemaVersion' }),
          document: publicDocumentSchema.meta({ description: 'A valid document' }),
        }),
      )
      .meta({ description: 'All published schemas' }),
  })
  .meta({ id: 'MetadataSchemas' });

/** The schemas that metadata is validated with. Public. */
export const schemaRoutes = createRouter();

schemaRoutes.use('/schemas/*', cors({ origin: '*', allowMethods: ['GET', 'HEAD'] }), async (c, next) => {
  await next();
  if (c.res.ok) c.header('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
});

schemaRoutes
  .openapi(
    createRoute({
      method: 'get',
      path: '/schemas',
      operationId: 'listMetadataSchemas',
      tags,
      summary: 'List the metadata schemas',
      description: 'Public. /docs/schemas shows them as tables.',
      security: [],
      responses: {
        200: { ...jsonReply('The schemas', listSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(),
        ...REFUSED_EARLY,
      },
    }),
    (c) => {
      const items = SCHEMA_VERSIONS.map((schemaVersion) => {
        const type = typeOf(schemaVersion);
        const { attributes, ...document } = SCHEMA_EXAMPLES[schemaVersion];
        return {
          schemaVersion,
          type,
          isDefault: DEFAULT_SCHEMA_VERSION[type] === schemaVersion,
          document: { ...document, attributes: [...attributes] },
        };
      });
      return c.json({ items }, 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/schemas/{schemaVersion}',
      operationId: 'getMetadataSchema',
      tags,
      summary: 'Read a metadata schema',
      description: 'Public. A published schema never changes. It describes the public document of a token.',
      security: [],
      request: {
        params: z.object({
          schemaVersion: z.string().meta({ description: 'Name and version of the schema', enum: [...SCHEMA_VERSIONS] }),
        }),
      },
      responses: {
        200: {
          ...jsonReply(
            'The schema (JSON Schema 2020-12)',
            z.record(z.string(), z.unknown()).meta({ id: 'JsonSchema' }),
          ),
          headers: replyHeaders('Cache-Control'),
        },
        ...errorReplies(404, 429),
      },
    }),
    async (c) => {
      const { schemaVersion } = c.req.valid('param');
      if (!isSchemaVersion(schemaVersion)) {
        await limitAddress(c, 'route');
        throw notFound('Schema');
      }
      return c.json({ ...schemaOf(schemaVersion) }, 200);
    },
  );
