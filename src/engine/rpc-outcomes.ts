import type { Hex } from 'viem';
import type { RpcReply } from '../chains/rpc-client.ts';
import { oneLine, plainReason, revertReason } from '../chains/rpc-error.ts';

/** What a node's reply to `eth_sendRawTransaction` means for the transaction. */
export type SendOutcome =
  /** The node has these bytes. */
  | { readonly kind: 'taken' }
  /** The nonce is already mined: by these bytes, an earlier attempt or another transaction. */
  | { readonly kind: 'nonce-too-low' }
  /** The fee is too low for the pool, or to replace the previous attempt. */
  | { readonly kind: 'underpriced' }
  /** The wallet cannot pay. */
  | { readonly kind: 'no-funds' }
  /** The pool has no room for more of the wallet's transactions. */
  | { readonly kind: 'full' }
  /** The node will never accept these bytes. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** No conclusive reply: assume that the bytes were accepted. */
  | { readonly kind: 'unknown' };

const TAKEN =
  /already ?known|same hash|known transaction|already imported|already in (the )?(mem)?pool|already exists/i;
const TOO_LOW = /nonce (is )?too low|OldNonce|nonce has already been used|lower than the current nonce/i;
const UNDERPRICED =
  /underpriced|fee (cap )?too low|FeeTooLow|could not replace|ReplacementNotAllowed|less than block base fee|max fee per gas less|replacement fee/i;
const NO_FUNDS = /insufficient ?(funds|balance)|out of funds|overdraft/i;
const FULL =
  /pool (is )?full|queue (limit|full)|too many|limit reached for|exceeds? the configured|nonce too high|no room/i;
const REFUSED =
  /intrinsic gas|exceeds (the )?block gas limit|gas limit (is )?too (high|low)|greater than .*gas limit|oversized|exceeds max (transaction )?size|tip .*higher than|priority fee .*higher|invalid sender|type not supported|init ?code size|GasLimitExceeded|gas limit cap|exceeds .*gas.*(cap|maximum)|invalid chain ?id/i;

/**
 * Classifies the reply to `eth_sendRawTransaction`, by the error messages of geth, coreth, Bor, Nethermind, Erigon and anvil. Anything else
 * is `unknown`, which can never lead to an order being executed twice.
 */
export function classifySendReply(reply: RpcReply): SendOutcome {
  if ('result' in reply) return { kind: 'taken' };
  if ('lost' in reply) return { kind: 'unknown' };
  const { message } = reply.error;
  if (TAKEN.test(message)) return { kind: 'taken' };
  if (TOO_LOW.test(message)) return { kind: 'nonce-too-low' };
  if (NO_FUNDS.test(message)) return { kind: 'no-funds' };
  if (UNDERPRICED.test(message)) return { kind: 'underpriced' };
  if (REFUSED.test(message)) return { kind: 'refused', reason: oneLine(message) };
  if (FULL.test(message)) return { kind: 'full' };
  return { kind: 'unknown' };
}

/** What the reply to an estimate or a call at a known block means. */
export type CallOutcome<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  /** The call reverts, or needs more gas than any transaction may have. */
  | { readonly kind: 'reverted'; readonly data: Hex; readonly reason: string | undefined }
  /** The node gives no result; `detail` is its reason. */
  | { readonly kind: 'unknown'; readonly detail: string };

const NO_BLOCK =
  /header not found|unknown block|block ?(is )?out of range|BlockOutOfRange|missing trie|state (is )?(not available|pruned)|not found/i;
const REVERTED = /revert|invalid opcode|out of gas|outofgas|gas required exceeds|stack (under|over)flow|invalid jump/i;

/** @param read Parses the result; undefined if it is invalid. */
export function classifyCallReply<Value>(
  reply: RpcReply,
  read: (result: unknown) => Value | undefined,
): CallOutcome<Value> {
  if ('lost' in reply) return { kind: 'unknown', detail: reply.lost };
  if ('result' in reply) {
    const value = read(reply.result);
    return value === undefined ? { kind: 'unknown', detail: 'the reply is invalid' } : { kind: 'value', value };
  }
  const { message, code, data } = reply.error;
  if (data === undefined && code !== 3 && (NO_BLOCK.test(message) || /insufficient (funds|balance)/i.test(message))) {
    return { kind: 'unknown', detail: oneLine(message) };
  }
  // Most nodes report a revert with code 3; the others are recognised by their messages.
  if (code === 3 || data !== undefined || REVERTED.test(message)) {
    const gas = /out of gas|outofgas|gas required exceeds/i.test(message) ? oneLine(message) : undefined;
    return { kind: 'reverted', data: data ?? '0x', reason: revertReason(data) ?? plainReason(message) ?? gas };
  }
  return { kind: 'unknown', detail: oneLine(message) };
}
