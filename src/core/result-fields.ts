import { z } from 'zod';
import { instantField } from './fields.ts';

/**
 * What the reply form of everything that is done on chain ends with: what it cost, why it failed, and when. Null until it
 * is done; USD and KRW also when no exchange rate was to be had.
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

/** A record's columns of these fields, in their reply form. */
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
