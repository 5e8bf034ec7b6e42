/** The views of orders about tokens. */
export const TOKEN_ORDER_TABLES = [
  'minting_orders',
  'transfer_orders',
  'burn_orders',
  'certificate_revocations',
  'chain_notifications',
];

/** All that have orders. */
export const ORDER_TABLES = [...TOKEN_ORDER_TABLES, 'ownership_transfers', 'contracts'];

/** Where what comes of the orders of one of them is read. */
export const viewOf = (table: string) => (table === 'contracts' ? 'contract_records' : table);
