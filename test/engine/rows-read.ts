import { Client } from 'pg';
import { connectDatabase, type SystemDb } from '../../src/platform/database/client.ts';
import { readBody, startHttpServer } from '../../stack/http-server.ts';
import { startNeonEndpoint } from '../../stack/stand-ins/neon-endpoint.ts';
import { newDatabase } from './new-database.ts';

/** A database whose statements can be looked at. */
export interface WatchedDatabase {
  readonly db: SystemDb;
  /** For what a test stores. */
  readonly client: Client;
  /** How many rows the last statement of `db` reads, in all parts of its plan. */
  rowsRead(): Promise<number>;
  stop(): Promise<void>;
}

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const rowsOf = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0);

export async function startWatchedDatabase(): Promise<WatchedDatabase> {
  const databaseUrl = await newDatabase();
  let last: { query: string; params: unknown[] } | undefined;
  const endpoint = await startNeonEndpoint({ databaseUrl });
  const recorder = await startHttpServer('Recorder', async (request, response) => {
    const body = String(await readBody(request, 1_000_000));
    last = JSON.parse(body);
    const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('neon-')) as [string, string][];
    const reply = await fetch(endpoint.url, { method: 'POST', headers, body });
    response.writeHead(reply.status).end(await reply.text());
  });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    db: connectDatabase({ DATABASE_URL: databaseUrl, NEON_FETCH_ENDPOINT: recorder.url }),
    client,
    async rowsRead() {
      const { rows } = await client.query(`explain (analyze, format json) ${last?.query}`, last?.params);
      return rowsOf(rows[0]['QUERY PLAN'][0].Plan);
    },
    async stop() {
      await client.end();
      await recorder.stop();
      await endpoint.stop();
    },
  };
}
