import { encodeFunctionData, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { type Chain } from '../../chains/client.ts';
import { readContract, valueOf } from '../../chains/contract-reads.ts';
import { trustView } from '../../catalog/contracts/views.ts';
import { invalidInput, type InputIssue } from '../../core/domain-error.ts';
import { addressField, chainIdField, contractAddressField } from '../../core/fields.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { chooseForwarder } from '../../relay/choose-forwarder.ts';
import { holderContract } from '../../relay/draft-holding.ts';
import { forwarderAddressField, forwarderNonceField } from '../../relay/forward-fields.ts';
import type { ForwardRequest } from '../../relay/forward-request.ts';
import type { preparedRequestSchema } from '../../relay/prepare-request.ts';
import { readRelayRecords, type RelayRecords } from '../../relay/relay-records.store.ts';
import { requestReply } from '../../relay/request-reply.ts';
import { forwarderIssues, nonceIssue, readSignerState } from '../../relay/signer-state.ts';
import type { TenantServices } from '../../services.ts';
import { REVOCATION_GAS } from './revocation-kind.ts';

export const revocationFields = {
  purpose: z.literal('cancel').meta({ description: 'Uses up the nonce of a request that its signer revokes' }),
  chainId: chainIdField,
  contractAddress: contractAddressField.meta({ description: 'That of the revoked request' }),
  from: addressField.meta({ description: 'The signer' }),
  forwarderAddress: forwarderAddressField.optional(),
  forwarderNonce: forwarderNonceField.optional().meta({
    description: "That of the revoked request. Default: the signer's lowest unused nonce at the forwarder",
  }),
};

const ofGivenUpRequest = z.unknown().optional().meta({ description: 'Ignored: from the revoked request' });

/** The other fields of a transfer: those of the request that is given up may be sent along. */
export const givenUpFields = {
  ercStandard: ofGivenUpRequest,
  tokenId: ofGivenUpRequest,
  amount: ofGivenUpRequest,
  to: ofGivenUpRequest,
  gasLimit: ofGivenUpRequest,
  deadline: ofGivenUpRequest,
};

type RevocationInput = z.output<z.ZodObject<typeof revocationFields>>;

/** A request that only uses up its own nonce. */
export interface Revocation {
  /** In the given letter case. */
  readonly forwarder: Address;
  readonly request: ForwardRequest;
  /** The block at which the signer's nonce was read. */
  readonly readAtBlock: number;
}

/**
 * Builds the request that uses up a nonce of the signer: one that no mined transaction has used, and that can be used
 * now or once the signer's accepted requests are mined. An accepted request with the same nonce is no obstacle: it is
 * what may be given up.
 * @param records Read before this is called.
 * @returns `revocation` undefined if there is any issue.
 * @throws {DomainError} `upstream` if the chain does not answer.
 */
export async function draftRevocation(
  services: TenantServices,
  chain: Chain,
  input: RevocationInput,
  records: RelayRecords,
): Promise<{ readonly issues: readonly InputIssue[]; readonly revocation: Revocation | undefined }> {
  const { issue } = holderContract(services, input, records);
  if (issue !== undefined) return { issues: [issue], revocation: undefined };
  const chosen = chooseForwarder(services, input, records);
  if (typeof chosen !== 'string') return { issues: [chosen], revocation: undefined };
  const forwarder = { chainId: chain.id, address: lowerCase(chosen) };
  const [trust, state] = await Promise.all([
    // First in the batch, so that the height is not below what is read here.
    readContract(chain.client, trustView(forwarder.address, forwarder.address)),
    readSignerState(chain, forwarder, input, records.openNonces(forwarder.address)),
  ]);
  const issues = await forwarderIssues(chain, forwarder, state, input);
  const { onChain, expected, blockNumber } = state;
  if (onChain === undefined || expected === undefined) return { issues, revocation: undefined };
  const nonce = input.forwarderNonce === undefined ? onChain : BigInt(input.forwarderNonce);
  if (nonce < onChain) issues.push(nonceIssue(onChain, nonce, false));
  if (nonce > expected) issues.push(nonceIssue(expected, nonce, false));
  if (issues.length > 0) return { issues, revocation: undefined };
  const call = callOf(forwarder.address, input.contractAddress, nonce, valueOf(trust) === true);
  const request = { from: input.from, value: 0n, gas: BigInt(REVOCATION_GAS), nonce, ...call };
  return { issues, revocation: { forwarder: chosen, request, readAtBlock: blockNumber } };
}

/**
 * The forwarder's `cancel` with the request's own nonce. A forwarder from elsewhere may have no such function; it then
 * does not trust itself, and there it is a call without effect to the contract, which trusts the forwarder.
 */
function callOf(
  forwarder: Address,
  contract: Address,
  nonce: bigint,
  trustsItself: boolean,
): { readonly to: Address; readonly data: Hex } {
  return trustsItself
    ? { to: forwarder, data: encodeFunctionData({ ...minimalForwarder, functionName: 'cancel', args: [nonce] }) }
    : { to: contract, data: trustView(contract, forwarder).data };
}

/** POST /transfer/prepare with `purpose` cancel. */
export const revocationPreparationInput = z.strictObject({
  ...revocationFields,
  ...givenUpFields,
  signature: ofGivenUpRequest,
});

/**
 * The typed data of a request that only uses up its signer's nonce.
 * @throws {DomainError} `invalid` with every issue; `upstream` if the chain does not answer.
 */
export async function prepareRevocation(
  services: TenantServices,
  input: z.output<typeof revocationPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId);
  const records = await readRelayRecords(services.db, input);
  const { issues, revocation } = await draftRevocation(services, chain, input, records);
  if (revocation === undefined) throw invalidInput(issues);
  const typedData = requestReply({ chainId: chain.id, address: revocation.forwarder }, revocation.request);
  return { ...typedData, primaryType: 'ForwardRequest', deadline: null };
}
