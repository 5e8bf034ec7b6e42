import type { Host, WireReply, WireRequest } from './network.ts';

/** The rates provider: returns a price for every requested coin. */
export class ExchangeRates implements Host {
  readonly service = 'rates';

  label({ url }: WireRequest): string {
    return url.searchParams.get('ids') ?? '';
  }

  answer({ url }: WireRequest): WireReply {
    const coins = (url.searchParams.get('ids') ?? '').split(',');
    const prices = Object.fromEntries(coins.map((coin) => [coin, { usd: 25.5, krw: 35_000 }]));
    return { status: 200, body: JSON.stringify(prices) };
  }
}
