import { isAddressEqual } from 'viem';
import type { Address, Hex } from 'viem';
import { formatCall } from '../chains/format-call.ts';
import type { Chain } from '../chains/client.ts';
import { recoverSigner } from './forward-request.ts';
import type { ForwardRequest, Forwarder } from './forward-request.ts';
import { lowerCase } from '../core/lower-case.ts';
import type { InputIssue } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { chooseForwarder } from './choose-forwarder.ts';
import { deadlineIssues } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import type { NewForwardRequest } from './forward-requests.store.ts';
import { nearNonces } from './next-nonce.ts';
import { forwarderIssues, nonceIssue, readSignerState } from './signer-state.ts';
import type { SignerState } from './signer-state.ts';

/** The fields from which a signed request is reconstructed, and its signature. */
export interface SignedInput {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: Address;
  readonly from: Address;
  readonly signature: Hex;
  readonly gasLimit: number;
  readonly forwarderNonce?: string | undefined;
  readonly forwarderAddress?: Address | undefined;
  readonly deadline?: Deadline;
}

/** The interval at which the signer's nonce is polled while earlier requests are missing, in milliseconds. */
const POLL_MS = 150;
/** How many polls in a row may show no change: 1.5 seconds. */
const MAX_IDLE_POLLS = 10;
/** A nonce further ahead than this is not waited for. */
const MAX_AHEAD = 64n;

/** A request that may be stored, or every issue with it. */
export type Forwarding =
  | { readonly issues: readonly []; readonly request: NewForwardRequest }
  | { readonly issues: readonly InputIssue[]; readonly request: undefined };

/**
 * Reconstructs the signed request and checks everything that does not depend on what the call does: the forwarder, the
 * contract's trust in it, the signer's nonce and the signature.
 *
 * Requests with consecutive nonces may arrive at the same time, in different instances of the Worker: one with a valid
 * signature that is too early waits briefly for the earlier ones.
 * @param data The signed data, built from the fields of the body; undefined if they are invalid, so that nothing can have been
 *   signed.
 * @throws {DomainError} `upstream` if the chain does not answer.
 */
export async function checkForwarding(
  services: TenantServices,
  chain: Chain,
  input: SignedInput,
  data: Hex | undefined,
): Promise<Forwarding> {
  const chosen = await chooseForwarder(services, input);
  if (typeof chosen !== 'string') return { issues: [chosen], request: undefined };
  const forwarder: Forwarder = { chainId: chain.id, address: lowerCase(chosen) };

  const ceiling = services.settings.RELAY_GAS_CEILING;
  const first = await readSignerState(services, chain, forwarder, input);
  const signedFor = data && (await signedNonce(forwarder, input, data, first));
  const state =
    signedFor === undefined
      ? first
      : await waitForTurn(signedFor, first, () => readSignerState(services, chain, forwarder, input));

  const { expected } = state;
  const issues: InputIssue[] = [];
  if (input.gasLimit > ceiling) issues.push({ path: 'gasLimit', message: `must be ${ceiling} or less` });
  issues.push(...(await forwarderIssues(chain, forwarder, state, input)));
  const given = signedFor ?? givenNonce(input);
  if (expected !== undefined && given !== undefined && given !== expected) {
    issues.push(nonceIssue(expected, given, input.forwarderNonce === undefined));
  }
  const nonce = given ?? expected;
  if (data !== undefined && nonce !== undefined && signedFor === undefined) {
    issues.push(signatureIssue(forwarder, requestOf(input, data, nonce)));
  }
  issues.push(...deadlineIssues(input.deadline, services.clock.now()));
  if (issues.length > 0 || data === undefined || nonce === undefined) return { issues, request: undefined };
  return {
    issues: [],
    request: {
      chainId: chain.id,
      forwarderAddress: forwarder.address,
      signerAddress: lowerCase(input.from),
      nonce: nonce.toString(),
      contractAddress: input.contractAddress,
      gasLimit: input.gasLimit,
      data,
      signature: input.signature,
      deadline: input.deadline ?? null,
      readAtBlock: state.blockNumber,
    },
  };
}

/** Polls while the requests that must come first keep arriving. */
async function waitForTurn(
  nonce: bigint,
  first: SignerState,
  readAgain: () => Promise<SignerState>,
): Promise<SignerState> {
  let state = first;
  let idlePolls = 0;
  while (idlePolls < MAX_IDLE_POLLS && isAhead(nonce, state)) {
    await scheduler.wait(POLL_MS);
    const next = await readAgain();
    idlePolls = next.expected === state.expected ? idlePolls + 1 : 0;
    state = next;
  }
  return state;
}

function isAhead(nonce: bigint, { expected }: SignerState): boolean {
  return expected !== undefined && nonce > expected && nonce - expected <= MAX_AHEAD;
}

/** The nonce that was signed: the one in the body, otherwise one near the expected nonce. */
async function signedNonce(
  forwarder: Forwarder,
  input: SignedInput,
  data: Hex,
  { expected }: SignerState,
): Promise<bigint | undefined> {
  const given = givenNonce(input);
  const candidates = given !== undefined ? [given] : expected === undefined ? [] : nearNonces(expected);
  for (const nonce of candidates) {
    const signer = await recoverSigner(forwarder, requestOf(input, data, nonce), input.signature);
    if (signer !== undefined && isAddressEqual(signer, input.from)) return nonce;
  }
  return undefined;
}

function givenNonce({ forwarderNonce }: SignedInput): bigint | undefined {
  return forwarderNonce === undefined ? undefined : BigInt(forwarderNonce);
}

function requestOf({ from, contractAddress, gasLimit }: SignedInput, data: Hex, nonce: bigint): ForwardRequest {
  return { from, to: contractAddress, value: 0n, gas: BigInt(gasLimit), nonce, data };
}

/** A signature matches the whole request or not at all, so the message shows the request that was expected. */
export function signatureIssue({ address, chainId }: Forwarder, request: ForwardRequest): InputIssue {
  const { from, to, value, gas, nonce, data } = request;
  const signed = `verifyingContract ${address}, chainId ${chainId}, from ${from}, to ${to}, value ${value}, gas ${gas}, nonce ${nonce}, data ${formatCall(data)}`;
  return {
    path: 'signature',
    message: `signature does not recover to from for this request; the data to sign is: ${signed}`,
  };
}
