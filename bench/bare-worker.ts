import { neon, neonConfig } from '@neondatabase/serverless';
import { z } from 'zod';

const settings = z.object({ DATABASE_URL: z.string(), NEON_FETCH_ENDPOINT: z.string() });

/** The least that a Worker can do to store a request: one INSERT. The baseline of `acceptance.ts`. */
export default {
  async fetch(request: Request, env: unknown): Promise<Response> {
    if (request.method === 'GET') return new Response('ok');
    const { DATABASE_URL, NEON_FETCH_ENDPOINT } = settings.parse(env);
    neonConfig.fetchEndpoint = NEON_FETCH_ENDPOINT;
    const id = crypto.randomUUID();
    await neon(DATABASE_URL)`insert into bench_inserts (id, body) values (${id}, ${await request.text()})`;
    return Response.json({ id }, { status: 201 });
  },
};
