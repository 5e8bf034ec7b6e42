import { isAddressEqual } from 'viem';
import type { Address, Hex } from 'viem';
import { readContract, valueOf } from '../chains/contract-reads.ts';
import { formatCall } from '../chains/format-call.ts';
import type { Chain } from '../chains/client.ts';
import { recoverSigner } from './forward-request.ts';
import type { ForwardRequest, Forwarder } from './forward-request.ts';
import { lowerCase } from '../core/lower-case.ts';
import { nonceView, trustView } from '../chains/views.ts';
import { withChainErrors } from '../chains/chain-errors.ts';
import type { InputIssue } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { chooseForwarder } from './choose-forwarder.ts';
import { openNonces } from './forward-requests.store.ts';
import type { NewForwardRequest } from './forward-requests.store.ts';
import { nearNonces, nextNonce } from './next-nonce.ts';

/** What a request says of itself and of its signature; the signed request is rebuilt from it. */
export interface SignedInput {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: Address;
  readonly from: Address;
  readonly signature: Hex;
  readonly gasLimit: number;
  readonly forwarderNonce?: string | undefined;
  readonly forwarderAddress?: Address | undefined;
}

/** Pause before each further look for the requests that must come before, in milliseconds. */
const PAUSE_MS = 150;
/** How many looks in a row may find none of them: a second and a half. */
const LOOKS = 10;
/** A number further ahead than this is not waited for. */
const MOST_AHEAD = 64n;

/** A request that may be stored; or why not, everything that is known of it. */
export type Forwarding =
  | { readonly faults: readonly []; readonly request: NewForwardRequest }
  | { readonly faults: readonly InputIssue[]; readonly request: undefined };

/**
 * Rebuilds the request that was signed and checks all of it that does not depend on what the call does: the forwarder, the
 * contract's trust in it, the signer's number, the signature.
 *
 * Requests with numbers in a row may arrive together, each in an instance of its own: one that is properly signed and
 * too early waits a moment for those before it.
 * @param data The call, from the fields of the body; undefined where they do not make one, so that there is nothing
 *   that could have been signed.
 * @throws {DomainError} `upstream` when the chain does not answer.
 */
export async function checkForwarding(
  services: TenantServices,
  chain: Chain,
  input: SignedInput,
  data: Hex | undefined,
): Promise<Forwarding> {
  const chosen = await chooseForwarder(services, input);
  if (typeof chosen !== 'string') return { faults: [chosen], request: undefined };
  const forwarder: Forwarder = { chainId: chain.id, address: lowerCase(chosen) };

  const ceiling = services.settings.RELAY_GAS_CEILING;
  const first = await look(services, chain, forwarder, input);
  const signedFor = data && (await signedNonce(forwarder, input, data, first));
  const standing =
    signedFor === undefined
      ? first
      : await untilItsTurn(signedFor, first, () => look(services, chain, forwarder, input));

  const { expected } = standing;
  const faults: InputIssue[] = [];
  if (input.gasLimit > ceiling) faults.push({ path: 'gasLimit', message: `must be ${ceiling} or less` });
  if (expected === undefined) {
    faults.push({
      path: 'forwarderAddress',
      message: `is no forwarder: ${forwarder.address} has no getNonce on chain ${chain.id}`,
    });
  }
  if (!standing.trusted) faults.push(await distrust(chain, input, forwarder));
  const given = signedFor ?? namedNonce(input);
  if (expected !== undefined && given !== undefined && given !== expected) {
    faults.push(nonceFault(expected, given, input.forwarderNonce === undefined));
  }
  const nonce = given ?? expected;
  if (data !== undefined && nonce !== undefined && signedFor === undefined) {
    faults.push(signatureFault(forwarder, requestOf(input, data, nonce)));
  }
  if (faults.length > 0 || data === undefined || nonce === undefined) return { faults, request: undefined };
  return {
    faults: [],
    request: {
      chainId: chain.id,
      forwarderAddress: forwarder.address,
      signerAddress: lowerCase(input.from),
      nonce: nonce.toString(),
      contractAddress: input.contractAddress,
      gasLimit: input.gasLimit,
      data,
      signature: input.signature,
      readAtBlock: standing.blockNumber,
    },
  };
}

/** What the chain and the orders say of a signer. */
interface Standing {
  /** The number that the signer's next request must carry; undefined where the forwarder is none. */
  readonly expected: bigint | undefined;
  /** Whether the contract trusts the forwarder. */
  readonly trusted: boolean;
  /** Not below the block that was read. */
  readonly blockNumber: number;
}

async function look(
  { db }: TenantServices,
  { client }: Chain,
  forwarder: Forwarder,
  { contractAddress, from }: SignedInput,
): Promise<Standing> {
  // The orders first: one that is settled in between is counted by the forwarder's own number.
  const open = await openNonces(db, forwarder, lowerCase(from));
  const [nonce, trust, blockNumber] = await Promise.all([
    readContract(client, nonceView(forwarder.address, from)),
    readContract(client, trustView(contractAddress, forwarder.address)),
    // Last in the batch: what was answered before it is not newer.
    withChainErrors(() => client.getBlockNumber({ cacheTime: 0 })),
  ]);
  const onChain = valueOf(nonce);
  return {
    expected: onChain === undefined ? undefined : nextNonce(onChain, open),
    trusted: valueOf(trust) === true,
    blockNumber: Number(blockNumber),
  };
}

/** Looks again while the requests that must come before keep arriving. */
async function untilItsTurn(nonce: bigint, first: Standing, lookAgain: () => Promise<Standing>): Promise<Standing> {
  let standing = first;
  let inVain = 0;
  while (inVain < LOOKS && isAhead(nonce, standing)) {
    await scheduler.wait(PAUSE_MS);
    const next = await lookAgain();
    inVain = next.expected === standing.expected ? inVain + 1 : 0;
    standing = next;
  }
  return standing;
}

function isAhead(nonce: bigint, { expected }: Standing): boolean {
  return expected !== undefined && nonce > expected && nonce - expected <= MOST_AHEAD;
}

/** The number that the signature is over: the one that the body names, or else one near the expected. */
async function signedNonce(
  forwarder: Forwarder,
  input: SignedInput,
  data: Hex,
  { expected }: Standing,
): Promise<bigint | undefined> {
  const named = namedNonce(input);
  const candidates = named !== undefined ? [named] : expected === undefined ? [] : nearNonces(expected);
  for (const nonce of candidates) {
    const signer = await recoverSigner(forwarder, requestOf(input, data, nonce), input.signature);
    if (signer !== undefined && isAddressEqual(signer, input.from)) return nonce;
  }
  return undefined;
}

function namedNonce({ forwarderNonce }: SignedInput): bigint | undefined {
  return forwarderNonce === undefined ? undefined : BigInt(forwarderNonce);
}

function requestOf({ from, contractAddress, gasLimit }: SignedInput, data: Hex, nonce: bigint): ForwardRequest {
  return { from, to: contractAddress, value: 0n, gas: BigInt(gasLimit), nonce, data };
}

async function distrust(chain: Chain, { contractAddress }: SignedInput, forwarder: Forwarder): Promise<InputIssue> {
  const code = await withChainErrors(() => chain.client.getCode({ address: contractAddress }));
  return code === undefined
    ? { path: 'contractAddress', message: `has no contract on chain ${chain.id}` }
    : {
        path: 'forwarderAddress',
        message: `is not trusted: the contract ${contractAddress} does not trust the forwarder ${forwarder.address}`,
      };
}

function nonceFault(expected: bigint, given: bigint, found: boolean): InputIssue {
  const how = given < expected ? 'is stale' : 'is too high';
  const where = found ? ' (the one that the signature is over)' : '';
  return { path: 'forwarderNonce', message: `${how}: expected ${expected}, given ${given}${where}` };
}

/** A signature fits the whole request or not at all, so all that can be said is what the request was taken to be. */
function signatureFault({ address, chainId }: Forwarder, request: ForwardRequest): InputIssue {
  const { from, to, value, gas, nonce, data } = request;
  const signed = `verifyingContract ${address}, chainId ${chainId}, from ${from}, to ${to}, value ${value}, gas ${gas}, nonce ${nonce}, data ${formatCall(data)}`;
  return {
    path: 'signature',
    message: `signature does not recover to from for this request; what must be signed is: ${signed}`,
  };
}
