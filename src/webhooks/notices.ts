import { z } from 'zod';
import { recordIdField } from '../core/fields.ts';
import type { HoldReason } from '../platform/database/schema.ts';

const orderFields = {
  orderId: recordIdField.meta({ description: 'The id of the order, contract or ownership transfer' }),
  orderKind: z.string().meta({ description: 'mint, relay-mint, transfer, ownership-transfer or deploy' }),
};
const laneFields = {
  chainId: z.string(),
  walletAddress: z.string().meta({ description: "The account's wallet, in lower case" }),
};

const HOLD_REASONS = {
  'not-now': 'not-now',
  funds: 'funds',
  'fee-cap': 'fee-cap',
  inactive: 'inactive',
  paused: 'paused',
} as const satisfies { [Reason in HoldReason]: Reason };

/** Events that are not the end of an order: when each is sent, and the form of its data. An endpoint gets those that it names. */
export const NOTICES = {
  'order.sent': {
    when: 'The transaction of an order is signed, and sent from now on',
    data: z
      .object({
        ...orderFields,
        ...laneFields,
        txHash: z.string().meta({ description: 'Of the first attempt; one with a higher fee has another' }),
        nonce: z.int(),
      })
      .meta({ id: 'OrderSent' }),
  },
  'order.held': {
    when: 'An order that is not signed begins to wait for a reason',
    data: z
      .object({
        ...orderFields,
        ...laneFields,
        reason: z.enum(HOLD_REASONS).meta({
          description:
            'not-now: the chain does not show yet that it can be carried out; funds: the wallet cannot pay; fee-cap: fees are above the cap; inactive: the account is INACTIVE; paused: it is paused, or has reached a limit',
        }),
        detail: z.string(),
      })
      .meta({ id: 'OrderHeld' }),
  },
  'wallet.low': {
    when: 'A wallet that has work has less than LOW_BALANCE on a chain, and had more before',
    data: z
      .object({
        ...laneFields,
        balance: z.string().meta({ description: 'Coins, decimal' }),
        threshold: z.string().meta({ description: 'Coins, decimal' }),
      })
      .meta({ id: 'WalletLow' }),
  },
  'lane.stuck': {
    when: 'Nothing of a wallet was mined for a minute though it has something in flight, or the chain does not answer',
    data: z
      .object({
        ...laneFields,
        orderId: recordIdField.nullable().meta({ description: 'The order that is next in line' }),
        reason: z.string(),
      })
      .meta({ id: 'LaneStuck' }),
  },
  'limit.reached': {
    when: 'A request was refused, or an order is held, because the account has reached a limit',
    data: z
      .object({
        limit: z.string().meta({ description: 'Which one' }),
        chainId: z.string().nullable(),
        orderId: recordIdField.nullable().meta({ description: 'The order that is held; null for a refused request' }),
        detail: z.string(),
      })
      .meta({ id: 'LimitReached' }),
  },
  'webhook.test': {
    when: 'Somebody asked for a test of the endpoint',
    data: z.object({ endpointId: recordIdField }).meta({ id: 'WebhookTest' }),
  },
} as const satisfies Readonly<Record<string, { readonly when: string; readonly data: z.ZodObject }>>;

type NoticeType = keyof typeof NOTICES;
type NoticeData<Type extends NoticeType> = z.output<(typeof NOTICES)[Type]['data']>;

/** A notice, as whoever notices it states it. */
export type NoticeDraft = {
  [Type in NoticeType]: {
    readonly type: Type;
    readonly accountId: string;
    readonly orderId: string | null;
    readonly at: Date;
    readonly data: NoticeData<Type>;
  };
}[NoticeType];
