import { z } from 'zod';
import { DEFAULT_CHAIN } from '../chains/list.ts';
import { instantField, wholeNumberParameter } from '../core/fields.ts';
import type { Services } from '../services.ts';
import { MAX_COUNTED_ORDERS, ordersByHour } from './statistics.store.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
const MAX_HOURS = 168;
const HOUR = '2026-11-02T09:00:00.000Z';

export const statisticsQuery = z.object({
  hours: wholeNumberParameter(1, MAX_HOURS, {
    description: `The hours before now, the current one included; default ${DEFAULT_HOURS}`,
    example: DEFAULT_HOURS,
  }),
});

export const statisticsSchema = z
  .object({
    from: instantField.meta({ description: 'When the first hour begins, UTC', example: HOUR }),
    hours: z
      .array(
        z.object({
          hour: instantField.meta({ description: 'When it begins, UTC', example: HOUR }),
          accepted: z.int().meta({ description: 'Orders', example: 120 }),
          confirmed: z.int().meta({ description: 'Of those accepted in this hour', example: 118 }),
          failed: z.int().meta({ description: 'Of those accepted in this hour: FAILED', example: 1 }),
          cancelled: z.int().meta({ description: 'Of those accepted in this hour: cancelled on request', example: 0 }),
          awaiting: z.int().meta({
            description: 'Of those accepted in this hour: wait for an approval, or are claims nobody has claimed',
            example: 0,
          }),
          medianSeconds: z.number().nullable().meta({
            description: 'Median from acceptance to CONFIRMED; of a claim, or after an approval, from then',
            example: 1.9,
          }),
          p95Seconds: z.number().nullable().meta({ description: '95th percentile of the same', example: 3.4 }),
          fees: z.record(z.string(), z.string()).meta({
            description: 'By chain id, in coins, decimal',
            example: { [DEFAULT_CHAIN.id]: '0.231' },
          }),
        }),
      )
      .meta({
        description: `Every hour, oldest first; the newest ${MAX_COUNTED_ORDERS} orders are counted`,
      }),
    chains: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Chain id', example: DEFAULT_CHAIN.id }),
          title: z.string().meta({ description: 'Name for people', example: DEFAULT_CHAIN.title }),
          isTest: z.boolean().meta({ description: 'Whether it is a test network' }),
          coin: z.string().meta({ description: 'Symbol of the coin', example: DEFAULT_CHAIN.nativeCoin.symbol }),
          explorerUrl: z.url().meta({ description: 'Its block explorer', example: DEFAULT_CHAIN.explorerUrl }),
        }),
      )
      .meta({ description: 'The chains in use' }),
  })
  .meta({ id: 'OrderStatistics' });

/** Orders by the hour of their acceptance. */
export async function orderStatistics(
  { db, clock, settings }: Services,
  hours = DEFAULT_HOURS,
): Promise<z.output<typeof statisticsSchema>> {
  const now = clock.now();
  const from = now - (now % HOUR_MS) - (hours - 1) * HOUR_MS;
  const rows = await ordersByHour(db, new Date(from));
  const byHour = Map.groupBy(rows, ({ hour }) => hour.getTime());
  return {
    from: new Date(from).toISOString(),
    hours: Array.from({ length: hours }, (_, index) => {
      const hour = from + index * HOUR_MS;
      const own = byHour.get(hour) ?? [];
      const all = own.find(({ chainId }) => chainId === null);
      return {
        hour: new Date(hour).toISOString(),
        accepted: all?.accepted ?? 0,
        confirmed: all?.confirmed ?? 0,
        failed: all?.failed ?? 0,
        cancelled: all?.cancelled ?? 0,
        awaiting: all?.awaiting ?? 0,
        medianSeconds: all?.medianSeconds ?? null,
        p95Seconds: all?.p95Seconds ?? null,
        fees: Object.fromEntries(
          own.flatMap(({ chainId, fees }) => (chainId === null || fees === null ? [] : [[chainId, fees]])),
        ),
      };
    }),
    chains: Array.from(settings.chains.values(), ({ id, title, kind, nativeCoin, explorerUrl }) => ({
      id,
      title,
      isTest: kind === 'test',
      coin: nativeCoin.symbol,
      explorerUrl,
    })),
  };
}
