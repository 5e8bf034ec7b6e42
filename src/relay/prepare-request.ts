import { z } from 'zod';
import type { Address, Hex } from 'viem';
import type { Chain } from '../chains/client.ts';
import { invalidInput, type InputIssue } from '../core/domain-error.ts';
import { instantField } from '../core/fields.ts';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import type { TenantServices } from '../services.ts';
import { chooseForwarder } from './choose-forwarder.ts';
import { deadlineField, deadlineIssues, withDeadline, type Deadline } from './deadline.ts';
import { estimateSignedGas } from './signed-gas.ts';
import { forwarderAddressField, forwarderNonceField } from './forward-fields.ts';
import type { RelayRecords } from './relay-records.store.ts';
import { requestReply, requestReplyFields } from './request-reply.ts';
import { forwarderIssues, nonceIssue, readSignerState } from './signer-state.ts';

/** The fields of a request to prepare, besides those of its call. */
export const preparationFields = {
  forwarderAddress: forwarderAddressField.optional(),
  forwarderNonce: forwarderNonceField.optional().meta({
    description: "Default: the signer's next nonce. A later one prepares a request that will be executed after others",
  }),
  deadline: deadlineField,
};

/** What a preparing route does, for the API document. @param accepting The route that takes the signature. */
export function preparationDescription(accepting: string): string {
  return `The typed data (EIP-712) with the contract's forwarder, 1.2 times the estimated gas, and the signer's next nonce, which is not reserved. Nothing is signed. Send the signature to ${accepting} with the same fields, and \`gas\`, \`nonce\`, \`verifyingContract\` and \`deadline\` of this reply as \`gasLimit\`, \`forwarderNonce\`, \`forwarderAddress\` and \`deadline\`.`;
}

/** The typed data for the signer's wallet. */
export const preparedRequestSchema = z
  .object({
    ...requestReplyFields,
    primaryType: z.literal('ForwardRequest').meta({ description: 'EIP-712 primary type' }),
    deadline: instantField.nullable().meta({
      description:
        'Send it along with the signature. Only this service keeps it, not the forwarder: anyone who has the signature can submit it there later. Null for none',
    }),
  })
  .meta({ id: 'PreparedRequest' });

type PreparedRequest = z.output<typeof preparedRequestSchema>;

export interface PreparationInput {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  readonly from: Address;
  readonly forwarderAddress?: Address | undefined;
  readonly forwarderNonce?: string | undefined;
  readonly deadline?: Deadline;
}

/** How far a nonce may be ahead of the signer's next one: as far as a request that arrives early is waited for. */
const MAX_AHEAD = 64n;

/** A request that lacks only its call and its gas. */
export interface Preparation {
  /** In the given letter case. */
  readonly forwarder: Address;
  readonly nonce: bigint;
}

/**
 * Chooses the forwarder and the nonce of a request, as the checks of a signed request expect them. Nothing is reserved:
 * until a signed request is posted, every preparation for the signer gets the same nonce.
 * @param records Read before this is called.
 * @returns `preparation` undefined if there is any issue.
 * @throws {DomainError} `upstream` if the chain does not answer.
 */
export async function choosePreparation(
  services: TenantServices,
  chain: Chain,
  input: PreparationInput,
  records: RelayRecords,
): Promise<{ readonly issues: readonly InputIssue[]; readonly preparation: Preparation | undefined }> {
  const late = deadlineIssues(input.deadline, services.clock.now());
  const chosen = chooseForwarder(services, input, records);
  if (typeof chosen !== 'string') return { issues: [...late, chosen], preparation: undefined };
  const forwarder = { chainId: chain.id, address: lowerCase(chosen) };
  const state = await readSignerState(chain, forwarder, input, records.openNonces(forwarder.address));
  const issues = [...late, ...(await forwarderIssues(chain, forwarder, state, input))];
  const { expected } = state;
  if (expected === undefined) return { issues, preparation: undefined };
  const nonce = input.forwarderNonce === undefined ? expected : BigInt(input.forwarderNonce);
  if (nonce < expected || nonce > expected + MAX_AHEAD) issues.push(nonceIssue(expected, nonce, false));
  return { issues, preparation: issues.length === 0 ? { forwarder: chosen, nonce } : undefined };
}

/**
 * The typed data of a request, with the gas that its call needs.
 * @throws {DomainError} `invalid` if the call reverts or needs too much gas; `upstream` if the chain does not answer.
 */
export async function prepareRequest(
  { settings }: TenantServices,
  chain: Chain,
  { from, contractAddress: to, deadline }: PreparationInput,
  { forwarder, nonce }: Preparation,
  call: Hex,
): Promise<PreparedRequest> {
  const data = withDeadline(call, deadline);
  const gas = await estimateSignedGas(chain, forwarder, { from, to, data }, settings.RELAY_GAS_CEILING);
  if (typeof gas !== 'bigint') throw invalidInput([gas]);
  const typedData = requestReply({ chainId: chain.id, address: forwarder }, { from, to, value: 0n, gas, nonce, data });
  return { ...typedData, primaryType: 'ForwardRequest', deadline: deadline?.toISOString() ?? null };
}
