import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { createRouter } from '../http/router.ts';
import { health } from './health.store.ts';

const healthSchema = z
  .object({ status: z.enum(['ok', 'unavailable']), version: z.string(), timestamp: z.iso.datetime() })
  .meta({ id: 'Health' });

export const healthRoutes = createRouter().openapi(
  createRoute({
    method: 'get',
    path: '/health',
    tags: ['Service'],
    summary: 'Health check',
    description: 'Public. The data store is looked at once a second at most.',
    responses: {
      200: { description: 'The service works', content: { 'application/json': { schema: healthSchema } } },
      503: { description: 'The data store does not answer', content: { 'application/json': { schema: healthSchema } } },
    },
  }),
  async (c) => {
    const services = c.get('services');
    const state = await health(services);
    const body = { ...state, timestamp: new Date(services.clock.now()).toISOString() };
    return state.status === 'ok' ? c.json(body, 200) : c.json(body, 503);
  },
);
