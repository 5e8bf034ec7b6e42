import { formatEther } from 'viem';
import type { Wei } from '../../chains/wei.ts';
import type { ExchangeRates } from './exchange-rates.ts';

/** What a mined transaction cost. USD and KRW are null when no exchange rate was available. */
export interface Fee {
  /** Decimal. */
  readonly gasUsed: string;
  /** Coins, decimal and exact: gas used times effective gas price. */
  readonly totalFeeNative: string;
  readonly nativePriceUsd: number | null;
  readonly totalFeeUsd: number | null;
  readonly nativePriceKrw: number | null;
  readonly totalFeeKrw: number | null;
}

/**
 * @param gasUsed Units of gas.
 * @param rates Price of one coin; null when unknown.
 */
export function feeOf(gasUsed: bigint, effectiveGasPrice: Wei, rates: ExchangeRates | null): Fee {
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

/** A fee's columns; all null when nothing was mined. */
export function feeColumnsOf(fee: Fee | undefined) {
  return {
    totalFeeNative: fee?.totalFeeNative ?? null,
    nativePriceUsd: fee?.nativePriceUsd ?? null,
    totalFeeUsd: fee?.totalFeeUsd ?? null,
    nativePriceKrw: fee?.nativePriceKrw ?? null,
    totalFeeKrw: fee?.totalFeeKrw ?? null,
  };
}
