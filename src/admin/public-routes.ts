import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { createRouter } from '../http/router.ts';
import { instantField } from '../core/fields.ts';
import { health, VERSION } from './health.store.ts';
import { REFUSED_EARLY, errorReplies } from '../http/error-replies.ts';
import { errorSchema } from '../http/error-reply.ts';
import { jsonReply } from '../http/json.ts';

const healthSchema = z
  .object({
    status: z.enum(['ok', 'unavailable']).meta({ description: 'unavailable: the data store does not answer' }),
    version: z.string().meta({ description: 'Version of the service', example: VERSION }),
    timestamp: instantField.meta({ description: 'When the reply was made, UTC' }),
  })
  .meta({ id: 'Health' });

export const healthRoutes = createRouter().openapi(
  createRoute({
    method: 'get',
    path: '/health',
    operationId: 'getHealth',
    tags: ['Service'],
    summary: 'Health check',
    security: [],
    description: 'Public. The data store is checked at most once a second.',
    responses: {
      ...errorReplies(),
      ...REFUSED_EARLY,
      200: jsonReply('The service works', healthSchema),
      503: jsonReply(
        'The data store does not answer, or the settings are invalid',
        z.union([healthSchema, errorSchema]),
      ),
    },
  }),
  async (c) => {
    const services = c.get('services');
    const state = await health(services);
    const body = { ...state, timestamp: new Date(services.clock.now()).toISOString() };
    return state.status === 'ok' ? c.json(body, 200) : c.json(body, 503);
  },
);
