import { z } from 'zod';
import { BURN_AUTHS } from '../../platform/database/schema.ts';
import { recordIdField } from '../../core/fields.ts';
import { CONTRACT_STATUSES, WAITING_FOR_APPROVAL } from '../../platform/database/vocabulary/order-status.ts';
import {
  addressReply,
  chainIdReply,
  contractAddressReply,
  corporateIdReply,
  gasUsedReply,
  txHashReply,
} from '../../core/reply-fields.ts';
import { resultFields, resultReply } from '../../engine/order-result.ts';
import type { ContractIndex } from '../../holdings/holdings.store.ts';
import type { Contract } from './contracts.store.ts';

/** Why the holdings of a contract are not complete, in the words of replies. */
const INCOMPLETE = {
  TOO_MANY_TRANSFERS: 'it reports more transfers in a block than are stored',
  UNREADABLE: 'nodes do not return its logs of a block',
  RANGES: 'it reports transfers of ranges of tokens (ERC-2309)',
  REGISTERED_LATER: 'transfers before its registration are not read',
} as const;

const onChainReply = z
  .object({
    ownerAddress: addressReply.nullable().meta({
      description:
        'The owner that the contract last reported, in lower case; null if it has reported none. If it differs from currentOwnerAddress, it was set outside this service',
    }),
    blockNumber: z
      .int()
      .meta({ description: 'The block up to which `GET /holdings` covers its transfers', example: 4_711 }),
    incomplete: z
      .enum(Object.keys(INCOMPLETE))
      .nullable()
      .meta({
        description: `Why its holdings are incomplete; null if they are complete. ${Object.entries(INCOMPLETE)
          .map(([code, why]) => `${code}: ${why}`)
          .join('. ')}`,
      }),
  })
  .meta({ id: 'ContractOnChain' });

/** A DeployedContract, as in replies and events. Fields without a value yet are null. */
export const contractReplySchema = z
  .object({
    _id: recordIdField.meta({ description: 'Id of the contract' }),
    chainId: chainIdReply,
    name: z.string().nullable().meta({ description: 'ERC-721 name; null for a forwarder', example: 'Opening night' }),
    symbol: z.string().nullable().meta({ description: 'ERC-721 symbol; null for a forwarder', example: 'TIX' }),
    alias: z.string().nullable().meta({ description: 'Display name of a forwarder, otherwise null', example: 'main' }),
    ercStandard: z
      .enum(['721', '1155', 'Forwarder'])
      .meta({ description: 'Token standard, or Forwarder for an EIP-2771 forwarder' }),
    contractType: z.enum(['standard', 'certificate']).nullable().meta({
      description: 'standard: tokens can be transferred. certificate: they cannot. null for a forwarder',
    }),
    status: z.enum([...CONTRACT_STATUSES, WAITING_FOR_APPROVAL]).meta({
      description:
        'DEPLOYING: accepted. ACTIVE: on chain. FAILED: it never will be; errorMessage says why. WAITING_FOR_APPROVAL: a second person must approve it',
    }),
    currentOwnerAddress: addressReply.nullable().meta({ description: 'Who administers the contract' }),
    royaltyReceiver: addressReply.nullable().meta({ description: 'ERC-2981 receiver; null for none' }),
    royaltyFeeBps: z.int().nullable().meta({ description: 'Royalty, in basis points of the price', example: 250 }),
    metadataBaseUri: z.string().nullable().meta({
      description:
        'Token URIs are this, the contract address and the token id, unless `setBaseURI` was called outside this service; null for none and for certificates',
      example: 'https://nft.example.com/metadata',
    }),
    trustedForwarder: addressReply.nullable().meta({
      description:
        'Fixed at deployment; with null the contract can never be used gaslessly. Not recorded for a registered contract',
    }),
    burnAuth: z.enum(BURN_AUTHS).nullable().meta({
      description:
        'Who may burn its certificates, fixed at deployment: their holder, their issuer by revoking them, both or neither. Null for a contract of other tokens, and if it is not known, as of a contract from elsewhere, where `burnAuth(tokenId)` may say it',
    }),
    transferOwnerAddress: addressReply
      .nullable()
      .meta({ description: 'Who becomes the owner after the deployment; null for nobody' }),
    contractAddress: contractAddressReply.nullable().meta({ description: 'In lower case; null until ACTIVE' }),
    onChain: onChainReply.nullable().meta({
      description:
        'What the index of transfers knows about the contract; null for a forwarder, and until it is first read',
    }),
    origin: z
      .enum(['deployed', 'registered'])
      .meta({ description: 'Whether this service deployed the contract, or POST /contracts/register added it' }),
    deployTxHash: txHashReply.nullable(),
    deployGasUsed: gasUsedReply.nullable(),
    corporateId: corporateIdReply,
    ...resultFields,
  })
  .meta({ id: 'DeployedContract' });

export type ContractReply = z.infer<typeof contractReplySchema>;

export function contractReply(contract: Contract, corporateId: string): ContractReply {
  const {
    id,
    corporateAccountId: _,
    progress,
    index = null,
    registeredAtBlock,
    txHash,
    gasUsed,
    currentBaseUri,
    ...fields
  } = contract;
  const status = progress?.awaitsApproval === true ? WAITING_FOR_APPROVAL : fields.status;
  const origin = registeredAtBlock === null ? 'deployed' : 'registered';
  // A certificate's URI is the one of its mint. The base only spares the contract storing it.
  const metadataBaseUri = fields.contractType === 'certificate' ? null : currentBaseUri;
  const onChain = index && onChainOf(index);
  return {
    _id: id,
    ...fields,
    deployTxHash: txHash,
    deployGasUsed: gasUsed,
    metadataBaseUri,
    status,
    onChain,
    origin,
    corporateId,
    ...resultReply(contract),
  };
}

function onChainOf({ stop, isFromRegistration, ...rest }: ContractIndex): z.infer<typeof onChainReply> {
  return { ...rest, incomplete: stop ?? (isFromRegistration ? 'REGISTERED_LATER' : null) };
}
