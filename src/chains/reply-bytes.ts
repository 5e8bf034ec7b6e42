/** The most bytes read of one HTTP response. */
const HTTP_BYTES = 16 * 1_024 * 1_024;
/** The most bytes of the response to one call: 64 KB of return data in hex, and the JSON around it. */
const CALL_BYTES = 192 * 1_024;
/** Methods whose responses may fill an HTTP response: they contain transactions and logs. */
const LARGE_RESPONSES = new Set([
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getLogs',
]);

/** The most bytes that are read of the response to these JSON-RPC calls, sent as one batch. */
export function replyBytes(calls: readonly { readonly method: string }[]): number {
  const limits = calls.map(({ method }) => (LARGE_RESPONSES.has(method) ? HTTP_BYTES : CALL_BYTES));
  return Math.min(
    HTTP_BYTES,
    limits.reduce((sum, limit) => sum + limit, 0),
  );
}
