import { readJsonText } from '../core/send-request.ts';

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
 * Reads and parses the response to JSON-RPC calls that were sent as one batch. How much is read depends on the calls.
 * Strings that are nothing but hex are in lower case, however the node spells them: hashes and addresses are compared
 * as text.
 * @returns undefined if it is not JSON, or nested deeper than any reply that means something.
 * @throws {BodyTooLargeError} if it is longer, or has too many values to be parsed.
 */
export async function readReply(reply: Response, calls: readonly { readonly method: string }[]): Promise<unknown> {
  const text = await readJsonText(reply, replyBytes(calls));
  try {
    return withLowerCaseHex(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function replyBytes(calls: readonly { readonly method: string }[]): number {
  const limits = calls.map(({ method }) => (LARGE_RESPONSES.has(method) ? HTTP_BYTES : CALL_BYTES));
  return Math.min(
    HTTP_BYTES,
    limits.reduce((sum, limit) => sum + limit, 0),
  );
}

const HEX = /^0x[\da-f]*$/i;

/** More than any method returns: what walks a reply, such as JSON.stringify, must not run out of stack. */
const MAX_DEPTH = 100;

/** Changes parsed JSON in place. @returns undefined if it is nested too deeply. */
function withLowerCaseHex(json: unknown): unknown {
  const root = { json };
  let level: Record<string, unknown>[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return undefined;
    const next: Record<string, unknown>[] = [];
    for (const values of level) {
      for (const [key, value] of Object.entries(values)) {
        if (isObject(value)) next.push(value);
        else if (typeof value === 'string' && HEX.test(value)) values[key] = value.toLowerCase();
      }
    }
    level = next;
  }
  return root.json;
}

/** Whether a value of parsed JSON has values of its own: it is an object or a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
