import { isAddressEqual, type Address, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Chain } from '../chains/client.ts';
import { forwardRequestTypedData } from './forward-request.ts';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import { readContract } from '../chains/contract-reads.ts';
import { nonceView } from '../catalog/contracts/views.ts';
import { invalidInput, type InputIssue } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { chooseForwarder } from './choose-forwarder.ts';
import { nextNonce, notForwarder } from './signer-state.ts';
import type { RelayRecords } from './relay-records.store.ts';
import { requestReply, requestReplyFields } from './request-reply.ts';

/** A request to sign, from the body of either signing route. */
interface UnsignedInput {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  readonly from: Address;
  readonly gasLimit: number;
  readonly forwarderNonce?: string | undefined;
  readonly forwarderAddress?: Address | undefined;
  readonly privateKey?: Hex | undefined;
}

/** The signed data and the signature. Specification, POST /transfer/signature. */
export const signatureReplyFields = {
  ...requestReplyFields,
  signature: z.string().meta({
    description: 'EIP-712 signature: r, s and v',
    example: `0x${'5e'.repeat(64)}1b`,
    pattern: '^0x[0-9a-f]{130}$',
  }),
};

/**
 * Signs a request for a forwarder with the caller's key, or the server's development key. Whether the request can be
 * executed is only checked when it is submitted.
 * @param data The signed data: the call, and the deadline if there is one.
 * @param records Read before this is called.
 * @returns the signed data, the signature, and the forwarder in the given letter case.
 * @throws {DomainError} `invalid` if there is no forwarder or no key of `from`; `upstream` if the chain does not
 *   answer.
 */
export async function signRequest(
  services: Pick<TenantServices, 'settings'>,
  chain: Chain,
  input: UnsignedInput,
  data: Hex,
  records: RelayRecords,
) {
  const signer = signerFor(services, input);
  const chosen = chooseForwarder(services, input, records);
  const issues = [signer, chosen].filter(isIssue);
  if (isIssue(signer) || isIssue(chosen)) throw invalidInput(issues);

  const forwarder = { chainId: chain.id, address: chosen };
  const nonce =
    input.forwarderNonce === undefined ? await expectedNonce(chain, chosen, input.from, records) : input.forwarderNonce;
  const { from, contractAddress: to } = input;
  const request = { from, to, value: 0n, gas: BigInt(input.gasLimit), nonce: BigInt(nonce), data };
  const signature = await signer.signTypedData(forwardRequestTypedData(forwarder, request));
  return { ...requestReply(forwarder, request), signature, forwarderAddress: chosen };
}

async function expectedNonce(
  chain: Chain,
  forwarderAddress: Address,
  from: Address,
  records: RelayRecords,
): Promise<bigint> {
  const forwarder = { chainId: chain.id, address: lowerCase(forwarderAddress) };
  const onChain = await readContract(chain.client, nonceView(forwarder.address, from));
  if ('value' in onChain) return nextNonce(onChain.value, records.openNonces(forwarder.address));
  throw invalidInput([notForwarder(forwarder)]);
}

/** What is wrong with a request to sign whatever its chain is. */
export function signerIssues(services: Pick<TenantServices, 'settings'>, input: UnsignedInput): InputIssue[] {
  const signer = signerFor(services, input);
  return isIssue(signer) ? [signer] : [];
}

/** The account of the signing key. No issue contains a key. */
function signerFor(
  { settings }: Pick<TenantServices, 'settings'>,
  { privateKey, from }: UnsignedInput,
): PrivateKeyAccount | InputIssue {
  const own = settings.LOCAL_DEV_PRIVATE_KEY;
  const key = privateKey ?? own;
  if (key === undefined) {
    return {
      path: 'privateKey',
      code: 'required',
      message: 'is required: the server has no development key to sign with (LOCAL_DEV_PRIVATE_KEY)',
    };
  }
  const signer = accountOf(key);
  if (signer === undefined) return { path: 'privateKey', message: 'is not a valid secp256k1 private key' };
  if (isAddressEqual(signer.address, from)) return signer;
  return privateKey === undefined
    ? {
        path: 'privateKey',
        message: 'is required: the server has a development key, and it is not the key of from',
        code: 'required',
      }
    : { path: 'privateKey', message: 'is not the key of from' };
}

function accountOf(key: Hex): PrivateKeyAccount | undefined {
  try {
    return privateKeyToAccount(key);
  } catch {
    // Zero, or not below the curve's order. The library's error would quote the key.
    return undefined;
  }
}

function isIssue(value: PrivateKeyAccount | Address | InputIssue): value is InputIssue {
  return typeof value === 'object' && 'path' in value;
}
