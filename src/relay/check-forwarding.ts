import { isAddressEqual, type Address, type Hex } from 'viem';
import { formatCall } from '../chains/format-call.ts';
import type { Chain } from '../chains/client.ts';
import { recoverSigner, type ForwardRequest, type Forwarder, type VerifyingContract } from './forward-request.ts';
import { ExpiringMap } from '../core/bounded-map.ts';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import type { InputIssue } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { chooseForwarder } from './choose-forwarder.ts';
import { deadlineIssues, type Deadline } from './deadline.ts';
import { openNonces, takenNonces, type NewForwardRequest } from './forward-requests.store.ts';
import type { RelayRecords } from './relay-records.store.ts';
import {
  nearNonces,
  nextNonce,
  forwarderIssues,
  nonceIssue,
  readSignerState,
  type SignerState,
} from './signer-state.ts';

/** The fields from which a signed request is reconstructed, and its signature. */
export interface SignedInput {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  readonly from: Address;
  readonly signature: Hex;
  readonly gasLimit: number;
  readonly forwarderNonce?: string | undefined;
  readonly forwarderAddress?: Address | undefined;
  readonly deadline?: Deadline;
}

/** The intervals at which the signer's open requests are polled while none arrives, in milliseconds: 2.5 seconds. */
const POLLS_MS = [150, 150, 300, 300, 600, 1_000];
/** How many polls a request may cost in all. */
const MAX_POLLS = 30;
/** A nonce further ahead than this is not waited for. */
const MAX_AHEAD = 64n;
/**
 * By signature: the nonce that the signer had reached when its request was given up. Posted again, the request does not
 * wait until the signer has got further: each wait costs a query for each poll.
 */
const gaveUpAt = new ExpiringMap<bigint>(60_000, 10_000);

/** Whose turn has not come: the forwarder, and the nonce that was signed. */
export interface EarlyRequest {
  readonly forwarder: Forwarder;
  readonly nonce: bigint;
}

/** A request that may be stored, or every issue with it. */
export type Forwarding =
  | { readonly issues: readonly []; readonly request: NewForwardRequest; readonly early?: undefined }
  /** `early` if its nonce is ahead and nothing else is wrong. */
  | { readonly issues: readonly InputIssue[]; readonly request: undefined; readonly early?: EarlyRequest | undefined };

/**
 * Reconstructs the signed request and checks everything that does not depend on what the call does: the forwarder, the
 * contract's trust in it, the signer's nonce and the signature.
 *
 * Requests with consecutive nonces may arrive at the same time, in different instances of the Worker: one with a valid
 * signature that is too early waits briefly for the earlier ones.
 * @param data The signed data, built from the fields of the body; undefined if they are invalid, so that nothing can
 *   have been signed.
 * @param records Read before this is called.
 * @throws {DomainError} `upstream` if the chain does not answer.
 */
export async function checkForwarding(
  services: TenantServices,
  chain: Chain,
  input: SignedInput,
  data: Hex | undefined,
  records: RelayRecords,
): Promise<Forwarding> {
  const chosen = chooseForwarder(services, input, records);
  if (typeof chosen !== 'string') return { issues: [chosen], request: undefined };
  const forwarder: Forwarder = { chainId: chain.id, address: lowerCase(chosen) };

  const first = await readSignerState(chain, forwarder, input, records.openNonces(forwarder.address));
  const issues: InputIssue[] = gasIssues(services, input);
  issues.push(...(await forwarderIssues(chain, forwarder, first, input)));
  const late = deadlineIssues(input.deadline, services.clock.now());
  const signedFor = data && (await signedNonce(forwarder, input, data, first));
  const mayWait = issues.length === 0 && late.length === 0 && signedFor !== undefined;
  const hasWaited = mayWait && (await waitForTurn(services, forwarder, input, signedFor, first));
  const state = hasWaited
    ? await readSignerState(chain, forwarder, input, await openNonces(services.db, forwarder, lowerCase(input.from)))
    : first;

  const { expected } = state;
  const given = signedFor ?? givenNonce(input);
  if (expected !== undefined && given !== undefined && given !== expected) {
    issues.push(nonceIssue(expected, given, input.forwarderNonce === undefined));
  }
  const nonce = given ?? expected;
  if (data !== undefined && nonce !== undefined && signedFor === undefined) {
    issues.push(signatureIssue(forwarder, requestOf(input, data, nonce)));
  }
  issues.push(...late);
  if (issues.length > 0 || data === undefined || nonce === undefined) {
    const isEarly = issues.length === 1 && signedFor !== undefined && expected !== undefined && signedFor > expected;
    return { issues, request: undefined, early: isEarly ? { forwarder, nonce: signedFor } : undefined };
  }
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

/** What is wrong with a signed request whatever its chain is. */
export function chainlessIssues(services: TenantServices, input: SignedInput): InputIssue[] {
  return [...gasIssues(services, input), ...deadlineIssues(input.deadline, services.clock.now())];
}

function gasIssues({ settings }: TenantServices, { gasLimit }: SignedInput): InputIssue[] {
  const ceiling = settings.RELAY_GAS_CEILING;
  return gasLimit > ceiling ? [{ path: 'gasLimit', message: `must be ${ceiling} or less`, code: 'too_big' }] : [];
}

/**
 * Polls while the requests that must come first keep arriving: one query each time, and nothing of the chain. Does not
 * poll again for a request that it has just given up.
 * @returns whether it has waited, so that the signer's state must be read once more.
 */
async function waitForTurn(
  { db, clock }: TenantServices,
  forwarder: Forwarder,
  { from, signature }: SignedInput,
  nonce: bigint,
  { expected }: SignerState,
): Promise<boolean> {
  if (expected === undefined || nonce <= expected || nonce - expected > MAX_AHEAD) return false;
  if (expected === gaveUpAt.get(signature, clock.now())) return false;
  let next = expected;
  let idlePolls = 0;
  for (let polls = 0; polls < MAX_POLLS && next < nonce; polls += 1) {
    const pause = POLLS_MS[idlePolls];
    if (pause === undefined) break;
    await scheduler.wait(pause);
    const reached = nextNonce(expected, await takenNonces(db, forwarder, lowerCase(from), expected));
    idlePolls = reached === next ? idlePolls + 1 : 0;
    next = reached;
  }
  if (next < nonce) gaveUpAt.set(signature, next, clock.now());
  return true;
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
export function signatureIssue({ address, chainId }: VerifyingContract, request: ForwardRequest): InputIssue {
  const { from, to, value, gas, nonce, data } = request;
  const signed = `verifyingContract ${address}, chainId ${chainId}, from ${from}, to ${to}, value ${value}, gas ${gas}, nonce ${nonce}, data ${formatCall(data)}`;
  return {
    path: 'signature',
    code: 'wrong_signature',
    message: `signature does not recover to from for this request; the data to sign is: ${signed}`,
  };
}
