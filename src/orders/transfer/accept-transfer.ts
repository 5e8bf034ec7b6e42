import { z } from 'zod';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import { acceptHolderRequest, signedFields } from '../../relay/accept-holder-request.ts';
import type { AcceptedOrder, HolderOrders } from '../../relay/accept-holder-request.ts';
import type { TenantServices } from '../../services.ts';
import { draftTransfer, transferFields, transferPurpose } from './draft-transfer.ts';
import { encodeTransfer } from './transfer-call.ts';
import { transferKind } from './transfer-kind.ts';
import { ID_TAKEN, findSignedTransfer, insertTransfer } from './transfers.store.ts';
import type { TransferOrder } from './transfers.store.ts';

/** Specification, POST /transfer/execute. */
export const transferInput = z
  .strictObject({ ...transferPurpose, ...transferFields, ...signedFields })
  .meta({ id: 'ExecuteTransfer' });

type TransferInput = z.output<typeof transferInput>;

const transfers: HolderOrders<TokenTransfer, TransferOrder, TransferInput> = {
  kind: transferKind,
  idTaken: ID_TAKEN,
  encode: encodeTransfer,
  find: findSignedTransfer,
  insert: (db, walletAddress, order, request) => insertTransfer(db, transferKind, walletAddress, order, request),
};

/** Accepts a transfer that its holder signed; see {@link acceptHolderRequest}. */
export async function acceptTransfer(
  services: TenantServices,
  input: TransferInput,
): Promise<AcceptedOrder<TransferOrder>> {
  return await acceptHolderRequest(services, transfers, input, async () => {
    const { issues, transfer } = await draftTransfer(services, input);
    return { issues, draft: transfer, call: transfer && encodeTransfer(transfer) };
  });
}
