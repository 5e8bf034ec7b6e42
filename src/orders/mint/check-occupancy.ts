import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { DomainError } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField, recordIdField, tokenIdField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { missingContracts } from '../../catalog/contracts/missing-contract.ts';
import type { Metadata } from '../../catalog/metadata/metadata.store.ts';
import { conflictsOf, metadataIssues, mismatches, placesWithout, subjectsOf, unknownMetadata } from './mint-rules.ts';
import { selectMintRecords, selectTokenUse } from './minting-orders.store.ts';
import { contractAddressReply, tokenIdReply } from '../../core/reply-fields.ts';
import { runBatch } from '../../platform/database/client.ts';

/** Specification, POST /minting/occupancy/check. */
export const occupancyInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    tokenId: tokenIdField,
    metadataId: recordIdField.optional().meta({ description: 'Also checks conflicts with this metadata' }),
  })
  .meta({ id: 'CheckOccupancy' });

export const occupancySchema = z
  .object({
    available: z.boolean().meta({ description: 'An order with these values would be accepted' }),
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard of the contract' }),
    reasons: z
      .array(z.string())
      .meta({ description: 'Why it is unavailable; empty if it is available', example: ['The token exists'] }),
    notes: z.array(z.string()).meta({ description: 'Hints', example: ['ERC-1155: more of a token can be minted'] }),
    activeOrderCount: z.int().meta({ description: 'Orders for the token id, including past ones', example: 0 }),
    metadataContext: z
      .object({
        metadataId: recordIdField.meta({ description: 'The metadata of the request' }),
        linkedContractAddress: contractAddressReply
          .nullable()
          .meta({ description: 'Contract that it is linked to; null if it is free' }),
        linkedTokenId: tokenIdReply.nullable().meta({ description: 'Token that it is linked to; null if it is free' }),
      })
      .nullable()
      .meta({ description: 'Where the metadata is linked; null without metadataId' }),
  })
  .meta({ id: 'Occupancy' });

/**
 * Checks whether a token id and a metadata document are free for a mint, by the same rules as an order.
 * @throws {DomainError} `not-found` if the contract or the metadata is not the account's; `upstream` if the chain must
 *   be read and does not answer.
 */
export async function checkOccupancy(
  services: TenantServices,
  input: z.output<typeof occupancyInput>,
): Promise<z.output<typeof occupancySchema>> {
  const { db, chains } = services;
  const {
    uses: [use = { orders: 0, metadataId: null }],
    found: [found = { contracts: [], documents: [], tokens: [] }],
  } = await runBatch(db, { uses: selectTokenUse(db, input), found: selectMintRecords(db, [input]) });
  requireAllowedChain(chains, input.chainId, () => unknownMetadata(input, found));
  const subjects = subjectsOf(input, found, await missingContracts(services.db, placesWithout(found, [input])));
  if (subjects instanceof DomainError) throw subjects;

  const { contract, metadata } = subjects;
  const invalid = metadata === undefined ? [] : metadataIssues(metadata.document);
  const reasons = [
    ...[...mismatches(subjects), ...invalid].map(({ path, message }) => `${path} ${message}`),
    ...(await conflictsOf(services, input, subjects)),
  ];
  return {
    available: reasons.length === 0,
    ercStandard: contract.ercStandard,
    reasons,
    notes: contract.ercStandard === '1155' ? unitNotes(input.tokenId, use, metadata?.document) : [],
    activeOrderCount: use.orders,
    metadataContext:
      metadata === undefined
        ? null
        : {
            metadataId: metadata.document.id,
            linkedContractAddress: metadata.document.contractAddress,
            linkedTokenId: metadata.document.tokenId,
          },
  };
}

function unitNotes(
  tokenId: string,
  { orders, metadataId }: Awaited<ReturnType<typeof selectTokenUse>>[number],
  document: Pick<Metadata, 'id' | 'contractAddress' | 'tokenId'> | undefined,
): string[] {
  const notes: string[] = [];
  if (orders > 0) notes.push('ERC-1155: more units of a token id can be minted at any time');
  if (document !== undefined && metadataId !== null && metadataId !== document.id) {
    notes.push(`Token ${tokenId} keeps its public document, of metadata ${metadataId}`);
  }
  if (document !== undefined && document.contractAddress !== null) {
    notes.push(`The metadata is linked to token ${document.tokenId} of ${document.contractAddress}`);
  }
  return notes;
}
