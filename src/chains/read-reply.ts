import { BodyTooLargeError, jsonSize, readJsonText } from '../core/send-request.ts';

/**
 * The most bytes read of one HTTP response. The largest that nodes have reason to send: a block of 60 million gas has at
 * most 2,900 transactions, some 2 MB and 60,000 values in JSON, or 3 MB if it is full of calldata (up to 12 MB if that
 * is nothing but zero bytes: such a block is not read); a log has some 650 bytes and 14 values, so that this is 12,000
 * logs, more than such a block has of transfers.
 */
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

/** The room that is left for what a provider replies to all calls of one request, in bytes. */
export interface Room {
  bytes: number;
}

/**
 * Replies are kept until all calls of a request are answered, and a hostile provider fills what there is: an object has
 * 128 MB. What is legitimate needs less: the blocks on which hundreds of receipts depend have up to 60 KB without the
 * fields of their transactions.
 */
const ROOM_BYTES = 4 * HTTP_BYTES;

export function newRoom(): Room {
  return { bytes: ROOM_BYTES };
}

/**
 * Reads and parses the response to JSON-RPC calls that were sent as one batch. How much is read depends on the calls.
 * Strings that are nothing but hex are in lower case, however the node spells them: hashes and addresses are compared
 * as text.
 * @returns undefined if it is not JSON, or nested deeper than any reply that means something.
 * @param room Is taken from.
 * @throws {BodyTooLargeError} if it is longer, has too many values to be parsed, or if there is no room for it: nothing
 *   is then said of its start.
 */
export async function readReply(
  reply: Response,
  calls: readonly { readonly method: string }[],
  room: Room,
): Promise<unknown> {
  const text = await readJsonText(reply, replyBytes(calls));
  const size = jsonSize(text);
  if (size > room.bytes) throw new BodyTooLargeError(`${room.bytes} bytes`, '');
  room.bytes -= size;
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
