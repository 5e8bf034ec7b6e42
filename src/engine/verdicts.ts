import type { Hex } from 'viem';
import type { RpcReply } from '../chains/rpc-client.ts';
import { oneLine, plainReason, revertReason } from '../chains/rpc-error.ts';

/** What a node's answer to signed bytes means for the transaction. */
export type SendVerdict =
  /** The node has these bytes. */
  | { readonly kind: 'taken' }
  /** The nonce was mined: by these bytes, by an earlier attempt, or by a stranger. */
  | { readonly kind: 'nonce-too-low' }
  /** The fee is too small to be taken, or to replace the attempt before. */
  | { readonly kind: 'underpriced' }
  /** The wallet cannot pay. */
  | { readonly kind: 'no-funds' }
  /** The node has no room for the wallet's transactions. */
  | { readonly kind: 'full' }
  /** The node will never take these bytes as they are. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** No answer, or none that says whether the bytes were taken: assume that they were. */
  | { readonly kind: 'unknown' };

const TAKEN =
  /already ?known|same hash|known transaction|already imported|already in (the )?(mem)?pool|already exists/i;
const TOO_LOW = /nonce (is )?too low|OldNonce|nonce has already been used|lower than the current nonce/i;
const UNDERPRICED =
  /underpriced|fee (cap )?too low|FeeTooLow|less than block base fee|max fee per gas less|replacement fee|could not replace|ReplacementNotAllowed/i;
const NO_FUNDS = /insufficient ?(funds|balance)|out of funds|overdraft/i;
const FULL =
  /pool (is )?full|queue (limit|full)|too many|limit reached for|exceeds? the configured|nonce too high|no room/i;
const REFUSED =
  /intrinsic gas|GasLimitExceeded|exceeds (the )?block gas limit|gas limit (is )?too (high|low)|greater than .*gas limit|oversized|exceeds max (transaction )?size|tip .*higher than|priority fee .*higher|invalid sender|type not supported|init ?code size|gas limit cap|exceeds .*gas.*(cap|maximum)|invalid chain ?id/i;

/**
 * Sorts the answer to `eth_sendRawTransaction`. The texts are those of geth, coreth, Bor, Nethermind, Erigon and anvil; whatever is not
 * recognised is `unknown`, the verdict that never has an order carried out twice.
 */
export function sendVerdict(reply: RpcReply): SendVerdict {
  if ('result' in reply) return { kind: 'taken' };
  if ('lost' in reply) return { kind: 'unknown' };
  const { message } = reply.fault;
  if (TAKEN.test(message)) return { kind: 'taken' };
  if (TOO_LOW.test(message)) return { kind: 'nonce-too-low' };
  if (NO_FUNDS.test(message)) return { kind: 'no-funds' };
  if (UNDERPRICED.test(message)) return { kind: 'underpriced' };
  if (REFUSED.test(message)) return { kind: 'refused', reason: oneLine(message) };
  if (FULL.test(message)) return { kind: 'full' };
  return { kind: 'unknown' };
}

/** What the answer to an estimate or a call at a known block means. */
export type CallVerdict<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  /** The call reverts, or takes more gas than any transaction may have. */
  | { readonly kind: 'reverted'; readonly data: Hex; readonly reason: string | undefined }
  /** The node does not know; `detail` says why, in its words. */
  | { readonly kind: 'unknown'; readonly detail: string };

const NO_BLOCK =
  /header not found|unknown block|block ?(is )?out of range|BlockOutOfRange|missing trie|state (is )?(not available|pruned)|not found/i;
const REVERTED = /revert|invalid opcode|out of gas|outofgas|gas required exceeds|stack (under|over)flow|invalid jump/i;

/** @param read What the result says; undefined where it makes no sense. */
export function callVerdict<Value>(reply: RpcReply, read: (result: unknown) => Value | undefined): CallVerdict<Value> {
  if ('lost' in reply) return { kind: 'unknown', detail: reply.lost };
  if ('result' in reply) {
    const value = read(reply.result);
    return value === undefined ? { kind: 'unknown', detail: 'the answer makes no sense' } : { kind: 'value', value };
  }
  const { message, code, data } = reply.fault;
  if (data === undefined && code !== 3 && (NO_BLOCK.test(message) || /insufficient ?(funds|balance)/i.test(message))) {
    return { kind: 'unknown', detail: oneLine(message) };
  }
  // 3 is the code that nodes give a revert; the words are for those that do not.
  if (code === 3 || data !== undefined || REVERTED.test(message)) {
    const gas = /out of gas|outofgas|gas required exceeds/i.test(message) ? oneLine(message) : undefined;
    return { kind: 'reverted', data: data ?? '0x', reason: revertReason(data) ?? plainReason(message) ?? gas };
  }
  return { kind: 'unknown', detail: oneLine(message) };
}
