import { tokenOrderTables } from '../../src/platform/database/schema.ts';

/** The tables of orders about tokens. */
export const TOKEN_ORDER_TABLES = tokenOrderTables.map(({ name }) => name);

/** All tables of orders. */
export const ORDER_TABLES = [...TOKEN_ORDER_TABLES, 'ownership_transfers', 'contracts'];
