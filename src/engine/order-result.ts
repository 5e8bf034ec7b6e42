import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { coinsReply } from '../core/reply-fields.ts';
import { HOLD_REASONS, type HoldReason } from '../platform/database/vocabulary/order-status.ts';

/** What holds an order up or will end it, beside its stored status. */
export interface OrderProgress {
  /** Why it is not signed now; null if nothing holds it. */
  readonly hold: { readonly reason: HoldReason; readonly detail: string; readonly since: Date } | null;
  readonly cancelRequestedAt: Date | null;
  /** Whether a second person must still approve it. */
  readonly awaitsApproval: boolean;
}

/**
 * The last fields of the reply for everything done on chain: its cost, why it waits or failed, and when. Null where
 * there is nothing to say; USD and KRW are also null when no exchange rate was available.
 */
export const resultFields = {
  totalFeeNative: coinsReply
    .nullable()
    .meta({ description: "The order's gas times gas price, in the chain's native coin" }),
  nativePriceUsd: z.number().nullable().meta({ description: 'US dollars for one coin when it ended', example: 25.31 }),
  totalFeeUsd: z.number().nullable().meta({ description: 'The fee in US dollars', example: 0.0385 }),
  nativePriceKrw: z.number().nullable().meta({ description: 'Won for one coin when it ended', example: 34_870 }),
  totalFeeKrw: z.number().nullable().meta({ description: 'The fee in won', example: 53.1 }),
  errorMessage: z.string().nullable().meta({
    description: 'Why it failed; null if it did not',
    example: 'The contract reverts: ERC721InvalidReceiver',
  }),
  hold: z
    .object({
      reason: z.enum(HOLD_REASONS).meta({
        description:
          'NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED',
      }),
      detail: z.string().meta({ description: 'The reason in words', example: 'The account is paused' }),
      since: instantField.meta({ description: 'Held since, UTC' }),
    })
    .nullable()
    .meta({ description: 'Why it is not signed now; null if nothing holds it' }),
  cancelRequestedAt: instantField
    .nullable()
    .meta({ description: 'When its cancellation was requested, UTC; null if it was not' }),
  completedAt: instantField.nullable().meta({ description: 'When it ended, UTC; null until then' }),
  createdAt: instantField.meta({ description: 'When it was accepted, UTC' }),
  updatedAt: instantField.meta({ description: 'When it last changed, UTC' }),
};

type Result = z.output<z.ZodObject<typeof resultFields>>;

/** These fields of a record, in their reply form. */
export function resultReply(
  record: Omit<Result, keyof OrderProgress | 'completedAt' | 'createdAt' | 'updatedAt'> & {
    /** Absent if it was accepted just now. */
    readonly progress?: OrderProgress | null | undefined;
    readonly completedAt: Date | null;
    readonly createdAt: Date;
    readonly updatedAt: Date;
  },
): Result {
  const hold = record.progress?.hold ?? null;
  return {
    totalFeeNative: record.totalFeeNative,
    nativePriceUsd: record.nativePriceUsd,
    totalFeeUsd: record.totalFeeUsd,
    nativePriceKrw: record.nativePriceKrw,
    totalFeeKrw: record.totalFeeKrw,
    errorMessage: record.errorMessage,
    hold: hold === null ? null : { ...hold, reason: HOLD_REASONS[hold.reason], since: hold.since.toISOString() },
    cancelRequestedAt: record.progress?.cancelRequestedAt?.toISOString() ?? null,
    completedAt: record.completedAt?.toISOString() ?? null,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}
