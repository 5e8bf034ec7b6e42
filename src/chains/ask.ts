import type { Hex, PublicClient } from 'viem';
import { DomainError } from '../core/domain-error.ts';
import { callVerdict } from './rpc-error.ts';
import type { View } from './views.ts';

/**
 * Gas of a call that is only simulated: what any view needs, and a relayed request with the most gas that can be signed.
 * Without a limit a node would give what it has, and a hostile contract would use it.
 */
export const CALL_GAS = 10_000_000n;

/** What a contract said to a question. */
export type Answer<Value> =
  | { readonly value: Value }
  /** It reverted, with its reason; or it does not know the question. */
  | { readonly refusal: string };

/**
 * Asks a contract that may not be what it is taken for: that it gives no answer is an answer here, and no error.
 * @throws {DomainError} `upstream` when no node answers. What the node said is not repeated: it can have the node's
 *   address in it, and that a key.
 */
export async function ask<Value>(
  client: PublicClient,
  { from, to, data: question, read }: View<Value>,
): Promise<Answer<Value>> {
  let data: Hex | undefined;
  try {
    ({ data } = await client.call({
      ...(from === undefined ? {} : { account: from }),
      to,
      data: question,
      gas: CALL_GAS,
    }));
  } catch (error) {
    const verdict = callVerdict(error);
    if (verdict.kind === 'reverted') return { refusal: verdict.reason ?? 'it reverts and gives no reason' };
    throw new DomainError('upstream', 'The chain does not answer', undefined, { cause: error });
  }
  if (data === undefined) return { refusal: 'it gives no answer' };
  try {
    return { value: read(data) };
  } catch {
    return { refusal: 'its answer has another form' };
  }
}

/** The value of an answer, where there is one. */
export function valueOf<Value>(answer: Answer<Value>): Value | undefined {
  return 'value' in answer ? answer.value : undefined;
}
