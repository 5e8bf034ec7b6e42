import { CannotTell, reasonOf } from '../shared/visitors/cannot-tell.ts';
import { fetchBytes, utf8 } from '../shared/visitors/fetch-bytes.ts';
import type { Chain } from '../shared/visitors/settings.ts';
import type { Message } from '../shared/visitors/texts.ts';

/** What a view function answers: its return data as hex digits, or nothing because it reverted or does not exist. */
export type ViewAnswer = string | undefined;

/** Reads from the nodes of one chain. */
export interface ChainReader {
  /** Whether there is a contract at the address. */
  hasCode(address: string): Promise<boolean>;
  /** Calls a view function with the latest state. `data`: selector and arguments, as hex digits. */
  view(address: string, data: string): Promise<ViewAnswer>;
}

/**
 * Every node is asked, and those that answer must agree: one node alone could be wrong, or lie.
 * @throws {CannotTell} from each method, when no node answers or two disagree.
 */
export function readChain({ id, rpcUrls }: Chain): ChainReader {
  // A node of another chain would find other contracts at the same addresses.
  const isOfChain = new Map(rpcUrls.map((url) => [url, requireChain(url, id)]));
  for (const checked of isOfChain.values()) checked.catch(() => undefined);

  const ask = async (method: string, params: readonly unknown[]): Promise<string | undefined> => {
    const failures: (readonly [host: string, reason: Message])[] = [];
    const answers = await Promise.all(
      Array.from(isOfChain, async ([url, checked]) => {
        try {
          await checked;
          return [await call(url, method, params)];
        } catch (error) {
          failures.push([new URL(url).host, reasonOf(error)]);
          return [];
        }
      }),
    );
    const distinct = new Set(answers.flat());
    if (distinct.size > 1) throw new CannotTell(({ reasons }) => reasons.contradiction);
    if (distinct.size === 0) {
      throw new CannotTell((texts) =>
        texts.reasons.noNode(failures.map(([host, reason]) => `${host}: ${reason(texts)}`).join('; ')),
      );
    }
    return [...distinct][0];
  };
  return {
    hasCode: async (address) => ((await ask('eth_getCode', [address, 'latest'])) ?? '') !== '',
    view: async (address, data) => await ask('eth_call', [{ to: address, data: `0x${data}` }, 'latest']),
  };
}

async function requireChain(url: string, chainId: string): Promise<void> {
  const answer = await call(url, 'eth_chainId', []);
  if (answer === undefined || BigInt(`0x${answer || '0'}`).toString() !== chainId) {
    throw new CannotTell(({ reasons }) => reasons.otherChain);
  }
}

/** One JSON-RPC call. @returns hex digits in lower case, without 0x; undefined if the call reverted. */
async function call(url: string, method: string, params: readonly unknown[]): Promise<string | undefined> {
  const bytes = await fetchBytes(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const reply = parse(utf8(bytes));
  if (isReverted(reply.error)) return undefined;
  if (reply.error !== undefined) throw new CannotTell(({ reasons }) => reasons.nodeError);
  return decodeHex(reply.result);
}

function decodeHex(result: unknown): string {
  if (typeof result !== 'string' || !/^0x[0-9a-f]*$/i.test(result)) {
    throw new CannotTell(({ reasons }) => reasons.malformed);
  }
  return result.slice(2).toLowerCase();
}

function parse(text: string): { readonly result?: unknown; readonly error?: unknown } {
  try {
    const reply: unknown = JSON.parse(text);
    if (typeof reply === 'object' && reply !== null) return reply;
  } catch {
    // Reported below, like JSON of another form.
  }
  throw new CannotTell(({ reasons }) => reasons.malformed);
}

/** Code 3 is that of execution errors; nodes that use another one say it in the message. */
function isReverted(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = { code: undefined, message: undefined, ...error };
  return code === 3 || /revert/i.test(String(message));
}
