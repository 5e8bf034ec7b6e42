import { useState } from 'preact/hooks';
import { BarChart } from './bar-chart.tsx';
import { formatCoins, formatCount, formatSpan } from '../shared/format.ts';
import { Panel } from '../shared/parts.tsx';
import { chains } from '../shared/chains.ts';
import type { Hour, Statistics } from './replies.ts';
import type { Live } from '../shared/use-live.ts';

/** Orders, fees and times by hour. */
export function Charts({ live }: { readonly live: Live<Statistics> }) {
  const { hours = [] } = live.data ?? {};
  return (
    <>
      <Panel title="Orders by hour" live={live}>
        <BarChart
          label="Orders by the hour of their acceptance"
          mode="stacked"
          format={formatCount}
          bars={hours.map(({ hour, accepted, confirmed, failed, cancelled, awaiting }) => ({
            hour,
            parts: [
              { name: 'Confirmed', value: confirmed, tone: 'main' },
              { name: 'Unfinished', value: accepted - confirmed - failed - cancelled - awaiting, tone: 'light' },
              { name: 'Cancelled', value: cancelled, tone: 'grey' },
              { name: 'Failed', value: failed, tone: 'bad' },
            ],
          }))}
        />
      </Panel>
      <Panel title="Time to confirm" live={live}>
        <BarChart
          label="Time from acceptance to confirmation, by hour"
          mode="overlaid"
          format={formatSpan}
          bars={hours.map(({ hour, medianSeconds, p95Seconds }) => ({
            hour,
            parts: [
              { name: '50 % within', value: medianSeconds ?? 0, tone: 'main' },
              { name: '95 % within', value: p95Seconds ?? 0, tone: 'light' },
            ],
          }))}
        />
      </Panel>
      <Fees live={live} hours={hours} />
    </>
  );
}

/** Coins of different chains do not add up: one chain at a time, first the one with the most orders. */
function Fees({ live, hours }: { readonly live: Live<Statistics>; readonly hours: readonly Hour[] }) {
  const used = chains.filter(({ id }) => hours.some(({ fees }) => Number(fees[id] ?? 0) > 0));
  const [chosen, setChosen] = useState('');
  const chain = used.find(({ id }) => id === chosen) ?? used[0];
  const choice =
    used.length < 2 ? (
      chain?.title
    ) : (
      <select
        aria-label="Chain of the fees"
        value={chain?.id}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {used.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    );
  return (
    <Panel title="Fees by hour" live={live} aside={<span class="muted">{choice}</span>}>
      <BarChart
        label="Fees by the hour of the order's acceptance"
        mode="stacked"
        format={(value) => formatCoins(value, chain?.coin)}
        bars={hours.map(({ hour, fees }) => ({
          hour,
          parts: [{ name: 'Fees', value: Number(fees[chain?.id ?? ''] ?? 0), tone: 'main' }],
        }))}
      />
    </Panel>
  );
}
