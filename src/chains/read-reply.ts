import { readJsonText } from '../core/read-json-text.ts';

/** The most bytes read of one HTTP response: a full block of any of the chains, with its transactions. */
const HTTP_BYTES = 8 * 1_024 * 1_024;
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

/**
 * Reads the response to JSON-RPC calls that were sent as one batch. How much is read depends on the calls.
 * @throws {BodyTooLargeError} if it is longer, or has too many values to be parsed.
 */
export async function readReply(reply: Response, calls: readonly { readonly method: string }[]): Promise<string> {
  return await readJsonText(reply, replyBytes(calls));
}

function replyBytes(calls: readonly { readonly method: string }[]): number {
  const limits = calls.map(({ method }) => (LARGE_RESPONSES.has(method) ? HTTP_BYTES : CALL_BYTES));
  return Math.min(
    HTTP_BYTES,
    limits.reduce((sum, limit) => sum + limit, 0),
  );
}
