import type { PgTable } from 'drizzle-orm/pg-core';
import type { Column } from './client.ts';

/** A table that has these columns, whatever else it has. */
export type TableWith<Name extends string> = PgTable & Readonly<Record<Name, Column>>;
