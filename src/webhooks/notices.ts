import { z } from 'zod';
import { APPROVAL_ACTIONS, type ApprovalAction } from '../platform/database/vocabulary/approval-action.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import { HOLD_REASONS } from '../platform/database/vocabulary/order-status.ts';
import {
  addressReply,
  chainIdReply,
  coinsReply,
  contractAddressReply,
  tokenIdReply,
  txHashReply,
  unitsReply,
} from '../core/reply-fields.ts';
import { newId } from '../core/record-id.ts';
import { LIMIT_NAMES } from '../engine/limit-names.ts';
import { payloadOf } from './event.ts';

const orderFields = {
  orderId: recordIdField.meta({ description: 'The id of the order; of a deployment, that of the contract' }),
  orderKind: z.string().meta({ description: 'The kind of order, such as mint, transfer or deploy', example: 'mint' }),
};
const laneFields = {
  chainId: chainIdReply,
  walletAddress: addressReply.meta({ description: "The account's wallet, in lower case" }),
};

const claimFields = {
  claimId: recordIdField.meta({ description: 'For `GET /claims/{id}`; also the id of its minting order' }),
  chainId: chainIdReply,
  contractAddress: contractAddressReply,
  tokenId: tokenIdReply,
  amount: z.int().meta({ description: 'Number of tokens; 1 for ERC-721', example: 1 }),
  metadataId: recordIdField.meta({ description: "Id of the token's metadata" }),
};

/**
 * Notices, which are the events other than the ends of orders: when each is sent, and the schema of its data. An
 * endpoint gets those that it names.
 */
export const NOTICES = {
  'order.sent': {
    when: 'The transaction of an order is signed and will be sent',
    data: z
      .object({
        ...orderFields,
        ...laneFields,
        txHash: txHashReply.meta({ description: 'Of the first attempt; one with a higher fee has another' }),
        nonce: z.int().meta({ description: "The wallet's nonce of the transaction", example: 17 }),
      })
      .meta({ id: 'OrderSent' }),
  },
  'order.held': {
    when: 'An unsigned order is held, or the reason changes',
    data: z
      .object({
        ...orderFields,
        ...laneFields,
        reason: z.enum(HOLD_REASONS).meta({ description: 'As in `hold` of the order' }),
        detail: z.string().meta({ description: 'The reason in words', example: 'The account is paused' }),
      })
      .meta({ id: 'OrderHeld' }),
  },
  'approval.requested': {
    when: 'An order, or switching off the approval setting, waits for a second person',
    data: z
      .object({
        approvalId: recordIdField.meta({ description: 'For `GET /approvals/{id}`; of an order also its own id' }),
        action: z.enum(APPROVAL_ACTIONS).meta({ description: 'What is to be approved' }),
        chainId: chainIdReply.nullable().meta({ description: 'The chain of the order; null if there is no order' }),
        requestedBy: recordIdField
          .nullable()
          .meta({ description: 'The id of the key that requested it; null: a global API key' }),
        expiresAt: instantField.meta({ description: 'Deadline for the decision, UTC' }),
      })
      .meta({ id: 'ApprovalRequested' }),
  },
  'wallet.low': {
    when: 'A wallet with work has less than LOW_BALANCE_<chainId>, and had more before',
    data: z
      .object({
        ...laneFields,
        balance: coinsReply.meta({ description: "What the wallet has, in the chain's native coin" }),
        threshold: coinsReply.meta({ description: "LOW_BALANCE_<chainId>, in the chain's native coin" }),
      })
      .meta({ id: 'WalletLow' }),
  },
  'lane.stuck': {
    when: 'None of the transactions a wallet has in flight was mined for a minute, or the chain does not answer',
    data: z
      .object({
        ...laneFields,
        orderId: recordIdField.nullable().meta({ description: 'The order that blocks the lane' }),
        reason: z.string().meta({ description: 'Why, in words', example: 'The chain does not answer' }),
      })
      .meta({ id: 'LaneStuck' }),
  },
  'limit.reached': {
    when: 'A limit of the account rejects or holds an order; for each limit at most once in a UTC day, or once in an hour if it is not a daily one',
    data: z
      .object({
        limit: z.enum(LIMIT_NAMES).meta({ description: 'Which limit' }),
        chainId: chainIdReply.nullable().meta({ description: 'Null for a limit of all chains together' }),
        value: z.string().nullable().meta({
          description: 'The limit: a number, coins, or gwei for a unit of gas. Null for a list',
          example: '10000',
        }),
        effect: z.enum(['REFUSED', 'HELD']).meta({ description: 'What it did to the order' }),
        orderId: recordIdField.nullable().meta({ description: 'The order that is held; null if it was rejected' }),
        freesAt: instantField
          .nullable()
          .meta({ description: 'When the limit counts from zero again; null if it does not depend on the time' }),
      })
      .meta({ id: 'LimitReached' }),
  },
  'claim.claimed': {
    when: 'A claim was claimed, and its receiver named; the mint follows',
    data: z
      .object({
        ...claimFields,
        receiverAddress: addressReply.meta({ description: 'Who gets the token' }),
      })
      .meta({ id: 'ClaimClaimed' }),
  },
  'claim.expired': {
    when: 'Nobody claimed a claim in time',
    data: z.object(claimFields).meta({ id: 'ClaimExpired' }),
  },
  'token.transferred': {
    when: 'A token of a contract of the account has changed hands, whoever moved it, including mints and burns',
    data: z
      .object({
        chainId: chainIdReply,
        contractAddress: contractAddressReply,
        tokenId: tokenIdReply,
        from: addressReply.meta({ description: 'In lower case; the zero address for a mint' }),
        to: addressReply.meta({ description: 'In lower case; the zero address for a burn' }),
        amount: unitsReply,
        txHash: txHashReply.meta({ description: 'Of the transaction with the transfer, in lower case' }),
        blockNumber: z.int().meta({ description: 'Of its block', example: 4_711 }),
        logIndex: z.int().meta({ description: 'Of its log in the block', example: 3 }),
      })
      .meta({ id: 'TokenTransferred' }),
  },
  'webhook.test': {
    when: 'A test of the endpoint was requested',
    data: z
      .object({ endpointId: recordIdField.meta({ description: 'The endpoint that is tested' }) })
      .meta({ id: 'WebhookTest' }),
  },
} as const satisfies Readonly<Record<string, { readonly when: string; readonly data: z.ZodObject }>>;

export type NoticeType = keyof typeof NOTICES;
type NoticeData<Type extends NoticeType> = z.output<(typeof NOTICES)[Type]['data']>;

/** A notice before it is stored. */
export type NoticeDraft = {
  [Type in NoticeType]: {
    readonly type: Type;
    readonly accountId: string;
    /** The chain that it is about; null if it is about none. */
    readonly chainId: string | null;
    readonly orderId: string | null;
    readonly at: Date;
    readonly data: NoticeData<Type>;
  };
}[NoticeType];

/** An approval that is asked for. */
export interface AwaitedApproval {
  readonly approvalId: string;
  readonly action: ApprovalAction;
  readonly chainId: string | null;
  readonly requestedBy: string | null;
  readonly expiresAt: Date;
}

const APPROVAL_REQUESTED = 'approval.requested';

/**
 * The id, the type and the body of the notice that an approval is asked for, for the statement that stores the
 * approval.
 */
export function approvalNotice({ action, expiresAt, ...rest }: AwaitedApproval, at: Date) {
  const data: Extract<NoticeDraft, { readonly type: typeof APPROVAL_REQUESTED }>['data'] = {
    ...rest,
    action: APPROVAL_ACTIONS[action],
    expiresAt: expiresAt.toISOString(),
  };
  return {
    id: newId(at.getTime()),
    type: APPROVAL_REQUESTED,
    payload: payloadOf({ type: APPROVAL_REQUESTED, at, data }),
  };
}
