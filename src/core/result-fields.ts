import { z } from 'zod';
import { instantField } from './fields.ts';

/**
 * The last fields of the reply for everything done on chain: its cost, why it failed, and when. Null until it is done; USD
 * and KRW are also null when no exchange rate was available.
 */
export const resultFields = {
  totalFeeNative: z.string().nullable().meta({ description: 'Coins, decimal', example: '0.001523' }),
  nativePriceUsd: z.number().nullable(),
  totalFeeUsd: z.number().nullable(),
  nativePriceKrw: z.number().nullable(),
  totalFeeKrw: z.number().nullable(),
  errorMessage: z.string().nullable(),
  completedAt: instantField.nullable(),
  createdAt: instantField,
  updatedAt: instantField,
};

type Result = z.output<z.ZodObject<typeof resultFields>>;

/** These fields of a record, in their reply form. */
export function resultReply(
  record: Omit<Result, 'completedAt' | 'createdAt' | 'updatedAt'> & {
    readonly completedAt: Date | null;
    readonly createdAt: Date;
    readonly updatedAt: Date;
  },
): Result {
  return {
    totalFeeNative: record.totalFeeNative,
    nativePriceUsd: record.nativePriceUsd,
    totalFeeUsd: record.totalFeeUsd,
    nativePriceKrw: record.nativePriceKrw,
    totalFeeKrw: record.totalFeeKrw,
    errorMessage: record.errorMessage,
    completedAt: record.completedAt?.toISOString() ?? null,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}
