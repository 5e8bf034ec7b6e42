import { z } from 'zod';
import { DomainError, invalidInput, missing } from '../../http/domain-error.ts';
import type { InputFault } from '../../http/domain-error.ts';
import {
  chainIdField,
  contractAddressField,
  hashField,
  receiverField,
  recordIdField,
  tokenIdField,
  urlField,
} from '../../http/fields.ts';
import type { TenantServices } from '../../services.ts';
import type { Contract } from '../contracts/contracts.ts';
import type { Metadata } from '../metadata/metadata.ts';
import { isSchemaVersion } from '../metadata/schemas.ts';
import { validateDocument } from '../metadata/validate-document.ts';
import { findMintingSubjects } from './orders.ts';
import type { NewMintingOrder } from './orders.ts';

/** Specification, POST /minting/order. */
export const orderInput = z
  .object({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    receiverAddress: receiverField,
    tokenId: tokenIdField,
    amount: z
      .int('must be a whole number')
      .min(1, 'must be 1 or more')
      .optional()
      .meta({ description: 'ERC-721: absent or 1. ERC-1155: required' }),
    metadataId: recordIdField,
    tokenUri: urlField('media').optional().meta({ description: 'Required for a certificate, else ignored' }),
    metadataHash: hashField.optional().meta({ description: 'Required for a certificate, else ignored' }),
  })
  .meta({ id: 'CreateMintingOrder' });

export type OrderInput = z.output<typeof orderInput>;

/** An order that may be stored: all but its occupancy is checked, which the database's own constraint decides. */
export type OrderDraft = Omit<NewMintingOrder, 'mode'>;

/**
 * Checks orders against what the account has: one round trip, however many they are.
 * @returns for each input, in order, the draft or why there is none: `invalid` with every fault; `missing` where the
 *   contract or the metadata is not the account's; `conflict` where the metadata belongs to another token.
 */
export async function draftOrders(
  services: TenantServices,
  inputs: readonly OrderInput[],
): Promise<(OrderDraft | DomainError)[]> {
  const { contracts, documents } = await findMintingSubjects(services.db, inputs);
  return inputs.map((input) => {
    if (!services.chains.has(input.chainId)) {
      const message = `must be one of ${[...services.chains.keys()].join(', ')}`;
      return invalidInput([{ path: 'chainId', message }]);
    }
    return draftOrder(services, input, {
      contract: contracts.find(
        ({ chainId, contractAddress }) => chainId === input.chainId && contractAddress === input.contractAddress,
      ),
      document: documents.find(({ id }) => id === input.metadataId),
    });
  });
}

function draftOrder(
  { clock, log, newId }: TenantServices,
  input: OrderInput,
  { contract, document }: { readonly contract: Contract | undefined; readonly document: Metadata | undefined },
): OrderDraft | DomainError {
  if (contract === undefined || contract.ercStandard === 'Forwarder') return missing('Active contract');
  if (document === undefined) return missing('Metadata');
  const faults = orderFaults(input, contract, document);
  if (faults.length > 0) return invalidInput(faults);
  // The specification asks for this second validation: what was valid when it was stored need not be valid for ever.
  const invalid = metadataFaults(document);
  log.info('metadata.validated', {
    schemaVersion: document.schemaVersion,
    type: document.utility.type,
    faults: invalid.length,
  });
  if (invalid.length > 0) return invalidInput(invalid, 'Metadata validation failed');
  if (contract.ercStandard === '1155' && isLinkedElsewhere(document, input)) {
    const { tokenId, contractAddress } = document;
    return new DomainError('conflict', `The metadata is already linked to token ${tokenId} of ${contractAddress}`);
  }
  const now = new Date(clock.now());
  const certificate = contract.contractType === 'certificate';
  return {
    id: newId(),
    contractId: contract.id,
    chainId: input.chainId,
    contractAddress: input.contractAddress,
    ercStandard: contract.ercStandard,
    receiverAddress: input.receiverAddress,
    tokenId: input.tokenId,
    amount: input.amount ?? 1,
    metadataId: input.metadataId,
    tokenUri: certificate ? (input.tokenUri ?? null) : null,
    metadataHash: certificate ? (input.metadataHash ?? null) : null,
    status: 'PENDING',
    createdAt: now,
    updatedAt: now,
  };
}

/** Where the order, its contract and its metadata do not go together. */
function orderFaults(input: OrderInput, contract: Contract, document: Metadata): InputFault[] {
  const faults: InputFault[] = [];
  const fault = (path: string, message: string) => faults.push({ path, message });
  if (contract.ercStandard === '721' && input.amount !== undefined && input.amount !== 1) {
    fault('amount', 'must be absent or 1 for an ERC-721 contract');
  }
  if (contract.ercStandard === '1155' && input.amount === undefined) {
    fault('amount', 'is required for an ERC-1155 contract');
  }
  if (document.chainId !== input.chainId) {
    fault('metadataId', `is metadata for chain ${document.chainId}, not ${input.chainId}`);
  }
  if (contract.contractType === 'certificate') {
    if (input.tokenUri === undefined) fault('tokenUri', 'is required for a certificate contract');
    if (input.metadataHash === undefined) fault('metadataHash', 'is required for a certificate contract');
    if (document.metadataHash === null) {
      fault('metadataId', `must be metadata of type Certificate, not ${document.utility.type}`);
    } else if (input.metadataHash !== undefined && input.metadataHash.toLowerCase() !== document.metadataHash) {
      fault('metadataHash', `must equal the stored hash ${document.metadataHash}`);
    }
  }
  return faults;
}

function metadataFaults({ schemaVersion, standardFields }: Metadata): InputFault[] {
  return isSchemaVersion(schemaVersion)
    ? validateDocument(standardFields, schemaVersion)
    : [{ path: '$.schemaVersion', message: `${schemaVersion} is no longer known` }];
}

function isLinkedElsewhere(document: Metadata, { contractAddress, tokenId }: OrderInput): boolean {
  return (
    document.contractAddress !== null && (document.contractAddress !== contractAddress || document.tokenId !== tokenId)
  );
}
