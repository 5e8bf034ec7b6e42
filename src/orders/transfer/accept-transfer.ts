import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import { invalidInput, type InputIssue } from '../../core/domain-error.ts';
import { receiverField, textField } from '../../core/fields.ts';
import { transferOrders } from '../../platform/database/schema.ts';
import {
  acceptHolderRequest,
  signedFields,
  unsignedFields,
  type AcceptedOrder,
  type HolderOrders,
} from '../../relay/accept-holder-request.ts';
import { withDeadline } from '../../relay/deadline.ts';
import { draftHolding, holdingFields } from '../../relay/draft-holding.ts';
import { privateKeyField } from '../../relay/forward-fields.ts';
import { prepareHolderRequest } from '../../relay/prepare-holder-request.ts';
import { preparationFields, type preparedRequestSchema } from '../../relay/prepare-request.ts';
import { signatureReplyFields, signRequest, signerIssues } from '../../relay/sign-request.ts';
import type { TenantServices } from '../../services.ts';
import { findSigned, insertSigned } from '../signed-orders.store.ts';
import { revocationKind } from './revocation-kind.ts';
import { encodeTransfer } from './transfer-call.ts';
import { ID_TAKEN, transferKind, type TransferOrder } from './transfer-kind.ts';

/** What tells a transfer from a request that only uses up a nonce. */
const transferPurpose = {
  purpose: z.literal('transfer').optional().meta({ description: 'A transfer; default' }),
};

/** The fields that define a transfer. */
const transferFields = {
  ...holdingFields,
  to: receiverField.meta({ description: 'Who gets the token; not the zero address' }),
};

/**
 * Resolves a transfer from the account's records.
 * @returns every issue; the transfer is undefined if the standard is unknown.
 */
async function draftTransfer(
  services: TenantServices,
  input: Parameters<typeof draftHolding>[1] & Pick<TokenTransfer, 'to'>,
): Promise<{ readonly issues: readonly InputIssue[]; readonly transfer: TokenTransfer | undefined }> {
  const { issues, holding, contract } = await draftHolding(services, input);
  const locked = { path: 'contractAddress', message: 'is a certificate contract, whose tokens cannot be transferred' };
  return {
    issues: contract?.isCertificate === true ? [locked, ...issues] : issues,
    transfer: holding && { ...holding, to: input.to },
  };
}

/** POST /transfer/prepare. */
export const transferPreparationInput = z
  .strictObject({ ...transferPurpose, ...transferFields, ...preparationFields })
  .meta({ id: 'PrepareTransfer' });

/** The typed data of a transfer, for its holder to sign; see {@link prepareHolderRequest}. */
export async function prepareTransfer(
  services: TenantServices,
  input: z.output<typeof transferPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const { issues, transfer } = await draftTransfer(services, input);
  const call = transfer && encodeTransfer(transfer);
  return await prepareHolderRequest(services, input, { issues, draft: transfer, call });
}

/** Specification, POST /transfer/signature. */
export const transferSignatureInput = z
  .strictObject({
    ...transferFields,
    ...unsignedFields,
    privateKey: privateKeyField.optional(),
    note: textField(1_000).optional().meta({ description: 'Ignored', example: 'A test' }),
  })
  .meta({ id: 'SignTransfer' });

export const transferSignatureSchema = z.object(signatureReplyFields).meta({ id: 'TransferSignature' });

/**
 * Signs a transfer for tests, in the form that POST /transfer/execute accepts.
 * @throws {DomainError} `invalid` with every issue.
 */
export async function createTransferSignature(
  services: TenantServices,
  input: z.output<typeof transferSignatureInput>,
): Promise<z.infer<typeof transferSignatureSchema>> {
  const chain = requireAllowedChain(services.chains, input.chainId, () => signerIssues(services, input));
  const { issues, transfer } = await draftTransfer(services, input);
  if (issues.length > 0 || transfer === undefined) throw invalidInput(issues);
  const data = withDeadline(encodeTransfer(transfer), input.deadline);
  const { domain, types, request, signature } = await signRequest(services, chain, input, data);
  return { domain, types, request, signature };
}

/** Specification, POST /transfer/execute. */
export const transferInput = z
  .strictObject({ ...transferPurpose, ...transferFields, ...signedFields })
  .meta({ id: 'ExecuteTransfer' });

type TransferInput = z.output<typeof transferInput>;

const transfers: HolderOrders<TokenTransfer, TransferOrder, TransferInput> = {
  kind: transferKind,
  idTaken: ID_TAKEN,
  encode: encodeTransfer,
  find: (db, signature) => findSigned(db, transferOrders, [transferKind, revocationKind], signature),
  insert: (db, walletAddress, order, request) =>
    insertSigned(db, transferOrders, transferKind, walletAddress, order, request),
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
