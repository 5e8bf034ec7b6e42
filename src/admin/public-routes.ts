import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { createRouter } from '../http/router.ts';
import { health } from './health.store.ts';
import { jsonReply } from '../http/json.ts';

const healthSchema = z
  .object({ status: z.enum(['ok', 'unavailable']), version: z.string(), timestamp: z.iso.datetime() })
  .meta({ id: 'Health' });

export const healthRoutes = createRouter().openapi(
  createRoute({
    method: 'get',
    path: '/health',
    tags: ['Service'],
    summary: 'Health check',
    description: 'Public. The data store is checked at most once a second.',
    responses: {
      200: jsonReply('The service works', healthSchema),
      503: jsonReply('The data store does not answer', healthSchema),
    },
  }),
  async (c) => {
    const services = c.get('services');
    const state = await health(services);
    const body = { ...state, timestamp: new Date(services.clock.now()).toISOString() };
    return state.status === 'ok' ? c.json(body, 200) : c.json(body, 503);
  },
);
