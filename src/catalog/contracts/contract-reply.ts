import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { CONTRACT_STATUSES, WAITING_FOR_APPROVAL } from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { Contract } from './contracts.store.ts';

/** A DeployedContract, as in replies and events. Fields without a value yet are null. */
export const contractReplySchema = z
  .object({
    _id: recordIdField,
    chainId: z.string(),
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    alias: z.string().nullable().meta({ description: 'Forwarders only' }),
    ercStandard: z.enum(['721', '1155', 'Forwarder']),
    contractType: z.enum(['standard', 'certificate']).nullable(),
    status: z.enum([...CONTRACT_STATUSES, WAITING_FOR_APPROVAL]),
    currentOwnerAddress: z.string().nullable(),
    royaltyReceiver: z.string().nullable(),
    royaltyFeeBps: z.int().nullable(),
    metadataBaseUri: z.string().nullable(),
    trustedForwarder: z.string().nullable().meta({
      description:
        'Fixed at deployment; with null the contract can never be used gaslessly. Not recorded for a registered contract',
    }),
    transferOwnerAddress: z.string().nullable(),
    contractAddress: z.string().nullable().meta({ description: 'Lower case; set once ACTIVE' }),
    origin: z
      .enum(['deployed', 'registered'])
      .meta({ description: 'Whether this service deployed the contract, or POST /contracts/register added it' }),
    deployTxHash: z.string().nullable(),
    deployGasUsed: z.string().nullable(),
    corporateId: z.string(),
    ...resultFields,
  })
  .meta({ id: 'DeployedContract' });

export type ContractReply = z.infer<typeof contractReplySchema>;

export function contractReply(contract: Contract, corporateId: string): ContractReply {
  const { id, corporateAccountId: _, progress, registeredAtBlock, ...fields } = contract;
  const status = progress?.awaitsApproval === true ? WAITING_FOR_APPROVAL : fields.status;
  const origin = registeredAtBlock === null ? 'deployed' : 'registered';
  return { _id: id, ...fields, status, origin, corporateId, ...resultReply(contract) };
}
