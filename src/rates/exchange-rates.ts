import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { singleFlight } from '../single-flight.ts';

/** Price of one native coin. */
export interface ExchangeRates {
  readonly usd: number;
  readonly krw: number;
}

/** The provider's name of the chain's coin. */
const COIN = 'avalanche-2';
/** A settle waits for the rates: not for long. */
const TIMEOUT_MS = 3_000;
/** How long a rate may be used when the provider does not answer. */
const STALE_MS = 600_000;
/** How long a failed provider is left alone. */
const PAUSE_AFTER_FAILURE_MS = 30_000;

const price = z.number().positive();
const replySchema = z.object({ [COIN]: z.object({ usd: price, krw: price }) });

export interface RateSource {
  /** The price now, at most the configured age; null when none is to be had. Never fails: a fee can do without. */
  current(): Promise<ExchangeRates | null>;
}

interface RateSettings {
  readonly EXCHANGE_RATE_URL: string;
  readonly EXCHANGE_RATE_API_KEY?: string | undefined;
  readonly EXCHANGE_RATE_TTL_SECONDS: number;
}

/** Rates by CoinGecko's `simple/price`, kept in memory; one request when many need it at once. */
export function createRateSource(settings: RateSettings, clock: Clock, log: Log): RateSource {
  let known: { readonly rates: ExchangeRates; readonly at: number } | undefined;
  let failedAt = -Infinity;

  const refresh = singleFlight(async () => {
    try {
      known = { rates: await fetchRates(settings), at: clock.now() };
    } catch (error) {
      failedAt = clock.now();
      log.warn('exchange_rates.failed', { error });
    }
  });

  return {
    async current() {
      const age = () => (known === undefined ? Infinity : clock.now() - known.at);
      if (age() >= settings.EXCHANGE_RATE_TTL_SECONDS * 1_000 && clock.now() - failedAt >= PAUSE_AFTER_FAILURE_MS) {
        await refresh(COIN);
      }
      return known !== undefined && age() < STALE_MS ? known.rates : null;
    },
  };
}

async function fetchRates(settings: RateSettings): Promise<ExchangeRates> {
  const url = new URL(settings.EXCHANGE_RATE_URL);
  url.searchParams.set('ids', COIN);
  url.searchParams.set('vs_currencies', 'usd,krw');
  const key = settings.EXCHANGE_RATE_API_KEY;
  const header = url.hostname.startsWith('pro-') ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key';
  const reply = await fetch(url, {
    headers: { accept: 'application/json', ...(key === undefined ? {} : { [header]: key }) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!reply.ok) {
    await reply.body?.cancel();
    throw new Error(`The exchange-rate provider answered ${reply.status}`);
  }
  return replySchema.parse(await reply.json())[COIN];
}
