/** @returns host and database name of a connection string, as host/name, without credentials or options: safe to print. */
export function databaseName(connectionString: string): string {
  const { host, pathname } = new URL(connectionString);
  return `${host}${pathname}`;
}
