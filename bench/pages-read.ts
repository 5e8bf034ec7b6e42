import { Client } from 'pg';
import { z } from 'zod';
import type { RoundTrip } from './database-recorder.ts';

const explained = z.array(
  z.object({
    'QUERY PLAN': z.tuple([
      z.object({ Plan: z.object({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number() }) }),
    ]),
  }),
);

/**
 * How many pages of 8 KB the database reads for statements, cached or not: what a request costs it, whatever else the
 * machine does. Statements that write are left out.
 */
export async function pagesRead(databaseUrl: string, trips: readonly RoundTrip[]): Promise<number> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  let pages = 0;
  try {
    for (const { query, params } of trips.flatMap(({ statements }) => statements)) {
      if (/\b(?:insert into|update|delete from)\b/i.test(query)) continue;
      const { rows } = await database.query({
        text: `explain (analyze, buffers, timing off, format json) ${query}`,
        values: params,
      });
      const [reply] = explained.parse(rows);
      const plan = reply?.['QUERY PLAN'][0].Plan;
      pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
    }
  } finally {
    await database.end();
  }
  return pages;
}
