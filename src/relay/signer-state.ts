import type { Address } from 'viem';
import type { Chain } from '../chains/client.ts';
import { readContract, valueOf, withChainErrors } from '../chains/contract-reads.ts';
import { credibleHeight } from '../chains/credible-height.ts';
import { nonceView, trustView } from '../catalog/contracts/views.ts';
import { invalidInput, type DomainError, type InputIssue } from '../core/domain-error.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { Forwarder } from './forward-request.ts';

/** The signer and the contract of a request. */
interface Parties {
  readonly contractAddress: LowerCaseAddress;
  readonly from: Address;
}

/** A signer's state, from the chain and the open orders. */
export interface SignerState {
  /** The nonce that the signer's next request must have; undefined if the address is not a forwarder. */
  readonly expected: bigint | undefined;
  /** The forwarder's nonce for the signer, which no mined request has used; undefined likewise. */
  readonly onChain: bigint | undefined;
  /** Whether the contract trusts the forwarder. */
  readonly trusted: boolean;
  /** Not below the block that was read. */
  readonly blockNumber: number;
}

/**
 * @param open The nonces of the signer's unfinished requests, read before: one that is settled in between is already
 *   counted in the forwarder's nonce.
 * @throws {DomainError} `upstream` if the chain does not answer.
 */
export async function readSignerState(
  chain: Chain,
  forwarder: Forwarder,
  { contractAddress, from }: Parties,
  open: readonly bigint[],
): Promise<SignerState> {
  const { client } = chain;
  const [nonce, trust, blockNumber] = await Promise.all([
    readContract(client, nonceView(forwarder.address, from)),
    readContract(client, trustView(contractAddress, forwarder.address)),
    // Last in the batch, so that nothing read before it is from a newer block.
    credibleHeight(chain),
  ]);
  const onChain = valueOf(nonce);
  return {
    expected: onChain === undefined ? undefined : nextNonce(onChain, open),
    onChain,
    trusted: valueOf(trust) === true,
    blockNumber,
  };
}

/**
 * The issues of a forwarder that the contract's requests cannot go through.
 * @throws {DomainError} `upstream` if the chain does not answer.
 */
export async function forwarderIssues(
  chain: Chain,
  forwarder: Forwarder,
  { expected, trusted }: SignerState,
  { contractAddress }: Parties,
): Promise<InputIssue[]> {
  const issues: InputIssue[] = [];
  if (expected === undefined) issues.push(notForwarder(forwarder));
  if (!trusted) issues.push(await trustIssue(chain, contractAddress, forwarder));
  return issues;
}

/** The issue of a forwarder that has no nonces. */
export function notForwarder({ address, chainId }: Forwarder): InputIssue {
  return { path: 'forwarderAddress', message: `is not a forwarder: ${address} has no getNonce on chain ${chainId}` };
}

async function trustIssue(chain: Chain, contractAddress: Address, forwarder: Forwarder): Promise<InputIssue> {
  const code = await withChainErrors(() => chain.client.getCode({ address: contractAddress }));
  return code === undefined
    ? { path: 'contractAddress', message: `has no contract on chain ${chain.id}` }
    : {
        path: 'forwarderAddress',
        message: `is not trusted: the contract ${contractAddress} does not trust the forwarder ${forwarder.address}`,
      };
}

/**
 * The issue of a nonce that is not the signer's next one.
 * @param isRecovered Whether it was found from the signature.
 */
export function nonceIssue(expected: bigint, given: bigint, isRecovered: boolean): InputIssue {
  const problem = given < expected ? 'is stale' : 'is too high';
  const where = isRecovered ? ' (the nonce that was signed)' : '';
  return {
    path: 'forwarderNonce',
    message: `${problem}: expected ${expected}, given ${given}${where}`,
    code: 'wrong_nonce',
  };
}

/** The refusal of a request whose nonce an order has used, as far as the service knows, if not yet the node. */
export function nonceUsed(nonce: bigint): DomainError {
  return invalidInput([nonceIssue(nonce + 1n, nonce, false)]);
}

/**
 * The nonce that a signer's next request must have: the forwarder's nonce, skipping those of accepted requests.
 * @param onChain The forwarder's nonce for the signer.
 * @param open The nonces of accepted requests that are not settled; some may already be mined.
 */
export function nextNonce(onChain: bigint, open: readonly bigint[]): bigint {
  const taken = new Set(open);
  let next = onChain;
  while (taken.has(next)) next += 1n;
  return next;
}

/** The nonces around the expected one, nearest first, to identify the one that was signed by mistake. */
export function nearNonces(expected: bigint, distance = 8n): bigint[] {
  const near = [expected];
  for (let step = 1n; step <= distance; step += 1n) {
    near.push(expected + step);
    if (expected >= step) near.push(expected - step);
  }
  return near;
}
