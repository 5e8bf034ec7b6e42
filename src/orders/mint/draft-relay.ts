import type { Hex } from 'viem';
import { encodeMint } from './mint-call.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { InputIssue } from '../../core/domain-error.ts';
import { addressField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { deadlineField } from '../../relay/deadline.ts';
import { forwarderAddressField, forwarderNonceField, gasLimitField } from '../../relay/forward-fields.ts';
import { draftOrders, orderInput } from './draft-orders.ts';
import type { OrderDraft, OrderInput } from './draft-orders.ts';

/** The fields of a mint that its contract's owner signs. */
export const ownerMintFields = {
  ...orderInput.shape,
  amount: orderInput.shape.amount.meta({
    description: 'Number of tokens. ERC-721: absent or 1. ERC-1155: default 1',
    example: 1,
  }),
  from: addressField.meta({ description: "Signer; must be the contract's owner, or the mint fails" }),
};

/** The same with those of its signed request. */
export const relayFields = {
  ...ownerMintFields,
  forwarderNonce: forwarderNonceField.optional(),
  forwarderAddress: forwarderAddressField.optional(),
  gasLimit: gasLimitField,
  deadline: deadlineField,
};

/** A draft and its call. */
export interface RelayDraft {
  readonly draft: OrderDraft;
  readonly call: Hex;
}

/**
 * Validates the fields of an order as POST /minting/order does, and encodes its call.
 * @returns the draft, or the issues of the fields, which are reported together with those of the signed request.
 * @throws {DomainError} for any other reason why the order cannot exist.
 */
export async function draftRelay(
  services: TenantServices,
  input: OrderInput,
): Promise<{ readonly issues: readonly InputIssue[]; readonly relay: RelayDraft | undefined }> {
  const [draft] = await draftOrders(services, [{ ...input, amount: input.amount ?? 1 }]);
  if (draft === undefined) throw new Error('An order had no draft');
  if (!(draft instanceof DomainError)) return { issues: [], relay: { draft, call: encodeMint(mintOf(draft)) } };
  if (draft.kind === 'invalid' && draft.issues !== undefined) return { issues: draft.issues, relay: undefined };
  throw draft;
}

function mintOf({ order: { tokenUri = null, metadataHash = null, ...order } }: OrderDraft) {
  return { ...order, tokenUri, metadataHash };
}
