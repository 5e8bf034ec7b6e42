import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { orderKinds } from '../orders/kinds.ts';
import type { Services } from '../services.ts';
import { MAX_COUNTED_ORDERS, ordersByHour } from './statistics.store.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
const MAX_HOURS = 168;

export const statisticsQuery = z.object({
  hours: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1, 'must be 1 or more').max(MAX_HOURS, `must be ${MAX_HOURS} or less`))
    .optional()
    .meta({ type: 'integer', description: `The hours before now, the current one included; default ${DEFAULT_HOURS}` }),
});

export const statisticsSchema = z
  .object({
    from: instantField,
    hours: z
      .array(
        z.object({
          hour: instantField.meta({ description: 'When it begins' }),
          accepted: z.int(),
          confirmed: z.int().meta({ description: 'Of those accepted in this hour' }),
          failed: z.int().meta({ description: 'Of those accepted in this hour: FAILED or CANCELLED' }),
          medianSeconds: z
            .number()
            .nullable()
            .meta({ description: 'From acceptance to CONFIRMED: half took no longer' }),
          slowestSeconds: z.number().nullable().meta({ description: 'The same: 95 % took no longer' }),
          fees: z.record(z.string(), z.string()).meta({ description: 'By chain id, in coins' }),
        }),
      )
      .meta({
        description: `Every hour, oldest first; of each type of order the newest ${MAX_COUNTED_ORDERS} are counted`,
      }),
    chains: z
      .array(
        z.object({ id: z.string(), title: z.string(), isTest: z.boolean(), coin: z.string(), explorerUrl: z.url() }),
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
  const tables = new Map(
    [...orderKinds.values()].flatMap(({ orders }) => (orders === null ? [] : [[orders.label, orders] as const])),
  );
  const rows = await ordersByHour(db, [...tables.values()], new Date(from));
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
        medianSeconds: all?.medianSeconds ?? null,
        slowestSeconds: all?.slowestSeconds ?? null,
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
