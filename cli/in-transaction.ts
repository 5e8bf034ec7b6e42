import { Client } from 'pg';

/**
 * Runs a change as one transaction, which is rolled back if it throws. What waits for a lock reads what was committed
 * meanwhile.
 * @returns its result.
 */
export async function inTransaction<Result>(
  databaseUrl: string,
  change: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await change(client);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}
