import { Client } from 'pg';

/**
 * @returns the database that a connection string leads to, as host:port/name, without user, password or options: fit to be
 *   shown. The driver reads it, for which `?host=` and others win over what stands in the URL's own place.
 */
export function databaseName(connectionString: string): string {
  const { host, port, database } = new Client({ connectionString });
  return `${host}:${port}/${database}`;
}
