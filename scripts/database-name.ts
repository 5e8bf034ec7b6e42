/** @returns the database of a connection string as host/name, without user, password or options: fit to be shown. */
export function databaseName(connectionString: string): string {
  const { host, pathname } = new URL(connectionString);
  return `${host}${pathname}`;
}
