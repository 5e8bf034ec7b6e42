import { z } from 'zod';
import { instantField } from './fields.ts';
import { HOLD_REASONS } from './hold-reason.ts';
import type { HoldReason } from './hold-reason.ts';

/** What holds an order up or will end it, beside its stored status. */
export interface OrderProgress {
  /** Why it is not signed now; null if nothing holds it. */
  readonly hold: { readonly reason: HoldReason; readonly detail: string; readonly since: Date } | null;
  readonly cancelRequestedAt: Date | null;
  /** Whether a second person must still approve it. */
  readonly awaitsApproval: boolean;
}

/**
 * The last fields of the reply for everything done on chain: its cost, why it waits or failed, and when. Null where there is
 * nothing to say; USD and KRW are also null when no exchange rate was available.
 */
export const resultFields = {
  totalFeeNative: z.string().nullable().meta({ description: 'Coins, decimal', example: '0.001523' }),
  nativePriceUsd: z.number().nullable(),
  totalFeeUsd: z.number().nullable(),
  nativePriceKrw: z.number().nullable(),
  totalFeeKrw: z.number().nullable(),
  errorMessage: z.string().nullable(),
  hold: z
    .object({ reason: z.enum(HOLD_REASONS), detail: z.string(), since: instantField })
    .nullable()
    .meta({ description: 'Why it is not signed now; null if nothing holds it' }),
  cancelRequestedAt: instantField.nullable(),
  completedAt: instantField.nullable(),
  createdAt: instantField,
  updatedAt: instantField,
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
