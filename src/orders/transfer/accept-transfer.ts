import { z } from 'zod';
import { relayerOf } from '../../accounts/account.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { receiverField } from '../../core/fields.ts';
import {
  acceptHolderRequest,
  signedFields,
  unsignedFields,
  type AcceptedOrder,
  type HolderDraft,
  type HolderOrders,
} from '../../relay/accept-holder-request.ts';
import { withDeadline } from '../../relay/deadline.ts';
import { draftHolding, holdingFields } from '../../relay/draft-holding.ts';
import { privateKeyField } from '../../relay/forward-fields.ts';
import { prepareHolderRequest } from '../../relay/prepare-holder-request.ts';
import { preparationFields, type preparedRequestSchema } from '../../relay/prepare-request.ts';
import { signatureReplyFields, signRequest, signerIssues } from '../../relay/sign-request.ts';
import { readRelayRecords, type RelayRecords } from '../../relay/relay-records.store.ts';
import type { TenantServices } from '../../services.ts';
import { findEarlier } from '../find-earlier.ts';
import { insertSigned, selectSigned } from '../signed-orders.store.ts';
import { revocationKind } from './revocation-kind.ts';
import { encodeTransfer } from './transfer-call.ts';
import { transferKind, type TransferOrder } from './transfer-kind.ts';
import { transferOrders } from '../order-forms.ts';

/** What tells a transfer from a request that only uses up a nonce. */
const transferPurpose = {
  purpose: z.literal('transfer').optional().meta({ description: 'A transfer; default' }),
};

const transferFields = {
  ...holdingFields,
  to: receiverField.meta({ description: 'Who gets the token; not the zero address' }),
};

/** Resolves a transfer from the account's records, with every issue. */
function draftTransfer(
  services: TenantServices,
  input: Parameters<typeof draftHolding>[1] & Pick<TokenTransfer, 'to'>,
  records: RelayRecords,
): HolderDraft<TokenTransfer> {
  const { issues, holding, contract } = draftHolding(services, input, records);
  const locked = { path: 'contractAddress', message: 'is a certificate contract, whose tokens cannot be transferred' };
  const draft = holding && { ...holding, to: input.to };
  return {
    issues: contract?.isCertificate === true ? [locked, ...issues] : issues,
    draft,
    call: draft && encodeTransfer(draft),
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
  return await prepareHolderRequest(services, input, (records) => draftTransfer(services, input, records));
}

/** Specification, POST /transfer/signature. */
export const transferSignatureInput = z
  .strictObject({
    ...transferFields,
    ...unsignedFields,
    privateKey: privateKeyField.optional(),
    note: z.unknown().optional().meta({ type: 'string', maxLength: 1_000, description: 'Ignored', example: 'A test' }),
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
  const records = await readRelayRecords(services.db, input);
  const { issues, call } = draftTransfer(services, input, records);
  if (issues.length > 0 || call === undefined) throw invalidInput(issues);
  const data = withDeadline(call, input.deadline);
  const { domain, types, request, signature } = await signRequest(services, chain, input, data, records);
  return { domain, types, request, signature };
}

/** Specification, POST /transfer/execute. */
export const transferInput = z
  .strictObject({ ...transferPurpose, ...transferFields, ...signedFields })
  .meta({ id: 'ExecuteTransfer' });

type TransferInput = z.output<typeof transferInput>;

const transfers: HolderOrders<TokenTransfer, TransferOrder, TransferInput> = {
  kind: transferKind,
  form: transferOrders,
  encode: encodeTransfer,
  findEarlier: (services, id) =>
    findEarlier(services, transferOrders, [transferKind, revocationKind], id, relayerOf(services.account)),
  find: (db, signature) => selectSigned(db, transferOrders, [transferKind, revocationKind], signature),
  insert: (db, walletAddress, order, request) =>
    insertSigned(db, transferOrders, transferKind, walletAddress, order, request),
};

/** Accepts a transfer that its holder signed; see {@link acceptHolderRequest}. */
export async function acceptTransfer(
  services: TenantServices,
  input: TransferInput,
): Promise<AcceptedOrder<TransferOrder>> {
  return await acceptHolderRequest(services, transfers, input, (records) => draftTransfer(services, input, records));
}
