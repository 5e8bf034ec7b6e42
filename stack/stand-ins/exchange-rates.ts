import { CHAINS } from '../../src/chains/list.ts';
import { type HttpServer, sendJson, startHttpServer } from '../http-server.ts';

const coins = [...new Set(CHAINS.map(({ nativeCoin }) => nativeCoin.rateId))];

/** The coins of all chains by the provider's ids, each with a different price. */
const prices: Readonly<Record<string, Readonly<Record<string, number>>>> = Object.fromEntries(
  coins.map((coin, index) => [coin, { usd: 25.5 / (index + 1), krw: 35_190 / (index + 1) }]),
);

const PATH = '/api/v3/simple/price';

/**
 * Starts an exchange-rate provider that responds like CoinGecko's `simple/price`, with constant prices. As with the
 * provider, unknown coins and currencies are missing from the response.
 * @returns `url` is the price endpoint.
 */
export async function startExchangeRates(port?: number): Promise<HttpServer> {
  const service = await startHttpServer(
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
