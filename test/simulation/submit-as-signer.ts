import { encodeFunctionData, type Address, type Hex } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import type { ForwardRequest } from '../../src/relay/forward-request.ts';
import type { Random } from './world/random.ts';
import { signTransaction } from './world/chain/transaction.ts';
import type { World } from './world/world.ts';

const GWEI = 1_000_000_000n;
/** For how long the signer looks whether it is the request's turn, and whether it was executed. */
const PATIENCE_MS = 80_000;
/** Longer than a block takes. */
const BLOCK_MS = 2_100;

/**
 * The signer of a request submits it without the service as soon as it is its turn, which the service cannot prevent.
 * @returns whether the request was executed, by anyone; false if the faults have ended before.
 */
export async function submitAsSigner(
  { chain, faults, scheduler, trace, publishedRequests }: World,
  random: Random,
  forwarder: Address,
  request: ForwardRequest,
  signature: Hex,
  signerKey: Hex,
): Promise<boolean> {
  const { abi } = minimalForwarder;
  const from = lower(request.from);
  const longestPause = random.pick([40, 400]);
  const until = scheduler.now() + PATIENCE_MS;
  let includedAt = -Infinity;
  while (scheduler.now() < until && !faults.healed) {
    chain.advance(scheduler.now());
    const { state } = chain.head;
    const contract = state.contract(forwarder);
    const next = contract?.kind === 'forwarder' ? (contract.nonces.get(from) ?? 0n) : 0n;
    if (next > request.nonce) return true;
    if (next === request.nonce && scheduler.now() - includedAt > BLOCK_MS) {
      includedAt = scheduler.now();
      publishedRequests.add([lower(forwarder), from, request.nonce, lower(request.to), request.data].join(' '));
      const fields = {
        to: forwarder,
        data: encodeFunctionData({ abi, functionName: 'execute', args: [request, signature] }),
        value: 0n,
        gas: 2n * request.gas,
        nonce: state.account(from).nonce,
        maxFeePerGas: 10_000n * GWEI,
        maxPriorityFeePerGas: 100n * GWEI,
      };
      const transaction = signTransaction(fields, signerKey, chain.rules.id);
      trace.add(`${from} submits request ${request.nonce} as ${transaction.hash}`);
      chain.include(transaction);
    }
    await scheduler.sleep(random.span(5, longestPause));
  }
  return false;
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
