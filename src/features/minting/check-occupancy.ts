import { z } from 'zod';
import { requireAllowedChain } from '../../chain/allowed-chain.ts';
import { valueOf } from '../../chain/ask.ts';
import type { Chain } from '../../chain/client.ts';
import { askHolder } from '../../chain/questions.ts';
import { missing } from '../../http/domain-error.ts';
import { chainIdField, contractAddressField, recordIdField, tokenIdField } from '../../http/fields.ts';
import type { TenantServices } from '../../services.ts';
import { findOccupancy } from './orders.ts';

/** Specification, POST /minting/occupancy/check. */
export const occupancyInput = z
  .object({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    tokenId: tokenIdField,
    metadataId: recordIdField.optional().meta({ description: 'Also checks conflicts with this metadata' }),
  })
  .meta({ id: 'CheckOccupancy' });

export const occupancySchema = z
  .object({
    available: z.boolean().meta({ description: 'Minting with these values is possible' }),
    ercStandard: z.enum(['721', '1155']),
    reasons: z.array(z.string()).meta({ description: 'Why it is unavailable' }),
    notes: z.array(z.string()).meta({ description: 'Hints' }),
    activeOrderCount: z.int().meta({ description: 'Orders for the token id, past ones included' }),
    metadataContext: z
      .object({
        metadataId: z.string(),
        linkedContractAddress: z.string().nullable(),
        linkedTokenId: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'Where the metadata is linked; null when none was named' }),
  })
  .meta({ id: 'Occupancy' });

/**
 * Says whether a token id, and a metadata document, are free for a mint. What is minted is asked of the chain, since a
 * holder can burn; what is under way is asked of the orders.
 * @throws {DomainError} `missing` where the contract or the metadata is not the account's; `upstream` where the chain does
 *   not answer.
 */
export async function checkOccupancy(
  { db, chains }: TenantServices,
  input: z.output<typeof occupancyInput>,
): Promise<z.output<typeof occupancySchema>> {
  const chain = requireAllowedChain(chains, input.chainId);
  const { contract, orders, document, occupant } = await findOccupancy(db, input);
  if (contract === undefined || contract.ercStandard === 'Forwarder') throw missing('Active contract');
  if (input.metadataId !== undefined && document === undefined) throw missing('Metadata');

  const reasons: string[] = [];
  const notes: string[] = [];
  if (contract.ercStandard === '721') {
    if (await isMinted(chain, input)) reasons.push(`Token ${input.tokenId} exists`);
    if (orders.underWay > 0) reasons.push(`An order for token ${input.tokenId} is under way`);
    if (occupant !== undefined) reasons.push(`Order ${occupant.id} (${occupant.status}) has this metadata`);
  } else if (orders.all > 0) {
    notes.push('ERC-1155: more units of a token id can be minted at any time');
  }
  if (document !== undefined) {
    if (document.chainId !== input.chainId) reasons.push(`The metadata is for chain ${document.chainId}`);
    const { contractAddress, tokenId } = document;
    const here = contractAddress === input.contractAddress && tokenId === input.tokenId;
    if (contract.ercStandard === '1155' && contractAddress !== null) {
      if (here) notes.push('The metadata is linked to this very token');
      else reasons.push(`The metadata is linked to token ${tokenId} of ${contractAddress}`);
    }
    if ((contract.contractType === 'certificate') !== (document.metadataHash !== null)) {
      reasons.push(
        `The metadata is of type ${document.utility.type}, the contract is a ${contract.contractType} contract`,
      );
    }
  }
  return {
    available: reasons.length === 0,
    ercStandard: contract.ercStandard,
    reasons,
    notes,
    activeOrderCount: orders.all,
    metadataContext:
      document === undefined
        ? null
        : {
            metadataId: document.id,
            linkedContractAddress: document.contractAddress,
            linkedTokenId: document.tokenId,
          },
  };
}

/** Whether an ERC-721 token exists: one that does not has no holder to name. */
async function isMinted(
  { client }: Chain,
  { contractAddress, tokenId }: z.output<typeof occupancyInput>,
): Promise<boolean> {
  return valueOf(await askHolder(client, contractAddress, BigInt(tokenId))) !== undefined;
}
