import { formatEther } from 'viem';
import type { ExchangeRates } from './exchange-rates.ts';

/** What a mined transaction cost. USD and KRW are null when no exchange rate was to be had. */
export interface Fee {
  /** Decimal. */
  readonly gasUsed: string;
  /** Coins, decimal and exact: gas used x effective gas price. */
  readonly totalFeeNative: string;
  readonly nativePriceUsd: number | null;
  readonly totalFeeUsd: number | null;
  readonly nativePriceKrw: number | null;
  readonly totalFeeKrw: number | null;
}

/**
 * @param gasUsed Units of gas.
 * @param effectiveGasPrice Wei a unit.
 * @param rates Price of one coin; null when unknown.
 */
export function feeOf(gasUsed: bigint, effectiveGasPrice: bigint, rates: ExchangeRates | null): Fee {
  const totalFeeNative = formatEther(gasUsed * effectiveGasPrice);
  const inCurrency = (price: number | null) => (price === null ? null : Number(totalFeeNative) * price);
  const nativePriceUsd = rates?.usd ?? null;
  const nativePriceKrw = rates?.krw ?? null;
  return {
    gasUsed: gasUsed.toString(),
    totalFeeNative,
    nativePriceUsd,
    totalFeeUsd: inCurrency(nativePriceUsd),
    nativePriceKrw,
    totalFeeKrw: inCurrency(nativePriceKrw),
  };
}

/** The columns that a fee is stored in; all null where nothing was mined. */
export function feeColumnsOf(fee: Fee | undefined) {
  return {
    totalFeeNative: fee?.totalFeeNative ?? null,
    nativePriceUsd: fee?.nativePriceUsd ?? null,
    totalFeeUsd: fee?.totalFeeUsd ?? null,
    nativePriceKrw: fee?.nativePriceKrw ?? null,
    totalFeeKrw: fee?.totalFeeKrw ?? null,
  };
}
