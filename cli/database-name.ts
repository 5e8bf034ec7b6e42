import { Client } from 'pg';

/**
 * @returns the database that a connection string leads to, as host:port/name, without credentials or options: safe to
 *   print. The driver reads it, because options such as `?host=` override the URL's own parts.
 */
export function databaseName(connectionString: string): string {
  const { host, port, database } = new Client({ connectionString });
  return `${host}:${port}/${database}`;
}
