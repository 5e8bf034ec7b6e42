import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { EpochMs } from '../../core/epoch-ms.ts';
import type { Log } from '../../core/log.ts';
import { readText, sendRequest } from '../../core/send-request.ts';
import { singleFlight } from '../../core/single-flight.ts';

/** The price of one native coin. */
export interface ExchangeRates {
  readonly usd: number;
  readonly krw: number;
}

/** Short, because settling orders waits for the rates. */
const TIMEOUT_MS = 3_000;
/** The longest reply that is read, in bytes; the prices of a few coins are far less. */
const REPLY_BYTES = 64 * 1_024;
/** How long an outdated rate is used while the provider does not answer. */
const STALE_MS = 600_000;
/** How long to wait after a failure before a coin's price is requested again. */
const PAUSE_AFTER_FAILURE_MS = 30_000;

const price = z.number().positive();
const ratesSchema = z.object({ usd: price, krw: price });
const replySchema = z.record(z.string(), z.unknown());

export interface RateSource {
  /**
   * The price of a coin; null when unavailable. Never throws.
   * @param coin A coin the source was created for, by its id at the provider.
   */
  current(coin: string): Promise<ExchangeRates | null>;
}

interface RateSettings {
  readonly EXCHANGE_RATE_URL: string;
  readonly EXCHANGE_RATE_API_KEY?: string | undefined;
  readonly EXCHANGE_RATE_TTL_SECONDS: number;
}

interface CoinState {
  readonly known?: { readonly rates: ExchangeRates; readonly at: EpochMs };
  readonly failedAt?: EpochMs;
}

/**
 * Rates from CoinGecko's `simple/price`, cached per coin. Concurrent calls share one request, which covers every coin
 * whose rate has expired.
 * @param coins Ids at the provider.
 */
export function createRateSource(settings: RateSettings, coins: readonly string[], clock: Clock, log: Log): RateSource {
  const states = new Map<string, CoinState>(coins.map((coin) => [coin, {}]));
  const age = ({ known }: CoinState) => (known === undefined ? Infinity : clock.now() - known.at);
  const isDue = (state: CoinState) =>
    age(state) >= settings.EXCHANGE_RATE_TTL_SECONDS * 1_000 &&
    clock.now() - (state.failedAt ?? -Infinity) >= PAUSE_AFTER_FAILURE_MS;

  const refresh = singleFlight(async () => {
    const due = [...states].filter(([, state]) => isDue(state)).map(([coin]) => coin);
    if (due.length === 0) return;
    const reply = await fetchPrices(settings, due).catch((error: unknown) => {
      log.warn('exchange_rates.failed', { coins: due, error });
      return undefined;
    });
    for (const coin of due) {
      const rates = ratesSchema.safeParse(reply?.[coin]);
      if (rates.success) states.set(coin, { known: { rates: rates.data, at: clock.now() } });
      else states.set(coin, { ...states.get(coin), failedAt: clock.now() });
      if (reply !== undefined && !rates.success)
        log.warn('exchange_rates.failed', { coins: [coin], error: rates.error });
    }
  });

  return {
    async current(coin) {
      if (isDue(states.get(coin) ?? {})) await refresh('rates');
      const state = states.get(coin) ?? {};
      return state.known !== undefined && age(state) < STALE_MS ? state.known.rates : null;
    },
  };
}

async function fetchPrices(settings: RateSettings, coins: readonly string[]): Promise<Record<string, unknown>> {
  const url = new URL(settings.EXCHANGE_RATE_URL);
  url.searchParams.set('ids', coins.join(','));
  url.searchParams.set('vs_currencies', 'usd,krw');
  const key = settings.EXCHANGE_RATE_API_KEY;
  const header = url.hostname.startsWith('pro-') ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key';
  const reply = await sendRequest(url, {
    headers: { accept: 'application/json', ...(key === undefined ? {} : { [header]: key }) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!reply.ok) {
    await reply.body?.cancel();
    throw new Error(`The exchange-rate provider answered ${reply.status}`);
  }
  return replySchema.parse(JSON.parse(await readText(reply, REPLY_BYTES)));
}
