import type { Hex } from 'viem';
import { encodeMint } from '../../chain/mint-call.ts';
import { DomainError } from '../../http/domain-error.ts';
import type { InputFault } from '../../http/domain-error.ts';
import { addressField } from '../../http/fields.ts';
import type { TenantServices } from '../../services.ts';
import { forwarderAddressField, forwarderNonceField, gasLimitField } from '../transfer/forward-fields.ts';
import { draftOrders, orderInput } from './draft-orders.ts';
import type { OrderDraft, OrderInput } from './draft-orders.ts';

/** A mint that someone signs for, in the body of every request that has one. */
export const relayFields = {
  ...orderInput.shape,
  amount: orderInput.shape.amount.meta({ description: 'ERC-721: absent or 1. ERC-1155: default 1' }),
  from: addressField.meta({ description: "Signer; must be the contract's owner, or the mint fails" }),
  forwarderNonce: forwarderNonceField.optional(),
  forwarderAddress: forwarderAddressField.optional(),
  gasLimit: gasLimitField,
};

/** An order and the call that its signer signs for. */
export interface RelayDraft {
  readonly order: OrderDraft;
  readonly data: Hex;
}

/**
 * Checks an order as POST /minting/order does, and builds its call.
 * @returns the draft, or the faults of the fields, to be told together with those of the signed request.
 * @throws {DomainError} every other reason why there can be no such order.
 */
export async function draftRelay(
  services: TenantServices,
  input: OrderInput,
): Promise<{ readonly faults: readonly InputFault[]; readonly draft: RelayDraft | undefined }> {
  const [order] = await draftOrders(services, [{ ...input, amount: input.amount ?? 1 }]);
  if (order === undefined) throw new Error('An order had no draft');
  if (!(order instanceof DomainError)) return { faults: [], draft: { order, data: encodeMint(mintOf(order)) } };
  if (order.code === 'invalid' && order.faults !== undefined) return { faults: order.faults, draft: undefined };
  throw order;
}

function mintOf({ tokenUri = null, metadataHash = null, ...order }: OrderDraft) {
  return { ...order, tokenUri, metadataHash };
}
