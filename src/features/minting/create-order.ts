import { z } from 'zod';
import { requireAllowedChain } from '../../chain/allowed-chain.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { DomainError, invalidInput, missing } from '../../http/domain-error.ts';
import type { InputFault } from '../../http/domain-error.ts';
import {
  chainIdField,
  contractAddressField,
  hashField,
  httpUrlField,
  receiverField,
  recordIdField,
  tokenIdField,
} from '../../http/fields.ts';
import { newId } from '../../http/ids.ts';
import type { TenantServices } from '../../services.ts';
import type { Contract } from '../contracts/contracts.ts';
import type { Metadata } from '../metadata/metadata.ts';
import { isSchemaVersion } from '../metadata/schemas.ts';
import { validateDocument } from '../metadata/validate-document.ts';
import { findMintingSubjects, insertOrder } from './orders.ts';
import type { MintingOrder } from './orders.ts';

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
    tokenUri: httpUrlField.optional().meta({ description: 'Required for a certificate, else ignored' }),
    metadataHash: hashField.optional().meta({ description: 'Required for a certificate, else ignored' }),
  })
  .meta({ id: 'CreateMintingOrder' });

type OrderInput = z.output<typeof orderInput>;

/**
 * Accepts a mint: stores the order, PENDING, and wakes the queue.
 * @throws {DomainError} `invalid` with every fault; `missing` where the contract or the metadata is not the account's;
 *   `conflict` where the metadata is taken.
 */
export async function createOrder(services: TenantServices, input: OrderInput): Promise<MintingOrder> {
  const { db, chains, clock, queues } = services;
  requireAllowedChain(chains, input.chainId);
  const { contract, document } = await findMintingSubjects(db, input);
  if (contract === undefined || contract.status !== 'ACTIVE' || contract.ercStandard === 'Forwarder') {
    throw missing('Active contract');
  }
  if (document === undefined) throw missing('Metadata');
  const faults = orderFaults(input, contract, document);
  if (faults.length > 0) throw invalidInput(faults);
  refuseInvalidMetadata(document);
  const { ercStandard } = contract;
  if (ercStandard === '1155' && isLinkedElsewhere(document, input)) {
    throw new DomainError(
      'conflict',
      `The metadata is already linked to token ${document.tokenId} of ${document.contractAddress}`,
    );
  }

  const now = new Date(clock.now());
  const certificate = contract.contractType === 'certificate';
  let order: MintingOrder;
  try {
    order = await insertOrder(db, {
      id: newId(now.getTime()),
      contractId: contract.id,
      chainId: input.chainId,
      contractAddress: input.contractAddress,
      ercStandard,
      receiverAddress: input.receiverAddress,
      tokenId: input.tokenId,
      amount: input.amount ?? 1,
      metadataId: input.metadataId,
      tokenUri: certificate ? (input.tokenUri ?? null) : null,
      metadataHash: certificate ? (input.metadataHash ?? null) : null,
      status: 'PENDING',
      mode: 'direct',
      createdAt: now,
      updatedAt: now,
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'minting_orders_occupancy')) throw error;
    throw new DomainError('conflict', 'Another order has this ERC-721 metadata');
  }
  await queues.send([{ kind: 'mint', id: order.id }]);
  return order;
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

/** The second validation that the specification asks for: a schema may have been tightened by a new version's release. */
function refuseInvalidMetadata({ schemaVersion, standardFields }: Metadata): void {
  const faults = isSchemaVersion(schemaVersion)
    ? validateDocument(standardFields, schemaVersion)
    : [{ path: '$.schemaVersion', message: 'is no longer known', schemaVersion, type: standardFields.utility.type }];
  if (faults.length > 0) throw invalidInput(faults, 'Metadata validation failed');
}

function isLinkedElsewhere(document: Metadata, { contractAddress, tokenId }: OrderInput): boolean {
  return (
    document.contractAddress !== null && (document.contractAddress !== contractAddress || document.tokenId !== tokenId)
  );
}
