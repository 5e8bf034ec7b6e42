import { Client } from 'pg';
import { inject } from 'vitest';
import { newId } from '../../src/core/record-id.ts';

/** Creates a database with the tables of the service and nothing in them. @returns its URL, for a superuser. */
export async function newDatabase(): Promise<string> {
  const empty = new URL(inject('emptyDatabaseUrl'));
  const database = new URL(`/test_${newId()}`, empty);
  const client = new Client({ connectionString: new URL('/postgres', empty).href });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${database.pathname.slice(1)} TEMPLATE ${empty.pathname.slice(1)}`);
  } finally {
    await client.end();
  }
  return database.href;
}
