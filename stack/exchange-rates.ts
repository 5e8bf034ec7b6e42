import { CHAINS } from '../src/chains/list.ts';
import { type HttpService, sendJson, startHttpService } from './http-service.ts';

const coins = [...new Set(CHAINS.map(({ nativeCoin }) => nativeCoin.rateId))];

/** The coins of all chains, by the provider's names, and their prices: each has one of its own. */
const prices: Readonly<Record<string, Readonly<Record<string, number>>>> = Object.fromEntries(
  coins.map((coin, index) => [coin, { usd: 25.5 / (index + 1), krw: 35_190 / (index + 1) }]),
);

const PATH = '/api/v3/simple/price';

/**
 * Starts an exchange-rate provider that answers like CoinGecko's `simple/price`, with prices that never change. Coins and currencies that it does not
 * know are left out of the answer, as the provider does.
 * @returns its `url` is that of the price endpoint itself.
 */
export async function startExchangeRates(port?: number): Promise<HttpService> {
  const service = await startHttpService(
    'Exchange rates',
    (request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (url.pathname !== PATH || request.method !== 'GET') {
        sendJson(response, 404, { error: 'Incorrect path. Please check https://www.coingecko.com/api/' });
        return;
      }
      const ids = url.searchParams.get('ids')?.split(',');
      const currencies = url.searchParams.get('vs_currencies')?.split(',');
      if (!currencies) {
        sendJson(response, 422, { error: 'Missing parameter vs_currencies' });
        return;
      }
      if (!ids) {
        sendJson(response, 422, { error: 'Missing parameter ids' });
        return;
      }
      const known = Object.entries(prices).filter(([id]) => ids.includes(id));
      sendJson(
        response,
        200,
        Object.fromEntries(
          known.map(([id, rates]) => [
            id,
            Object.fromEntries(Object.entries(rates).filter(([currency]) => currencies.includes(currency))),
          ]),
        ),
      );
    },
    port,
  );
  return { ...service, url: service.url + PATH };
}
