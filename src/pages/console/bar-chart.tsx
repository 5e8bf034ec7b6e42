import { formatHour } from '../shared/format.ts';

/** A part of a bar. */
export interface Part {
  readonly name: string;
  readonly value: number;
  /** Its colour. */
  readonly tone: 'main' | 'bad' | 'light' | 'grey';
}

/** What happened in an hour. */
export interface Bar {
  /** When the hour begins. */
  readonly hour: string;
  readonly parts: readonly Part[];
}

/** Every how many hours the axis is labelled. */
const LABEL_HOURS = 6;

/**
 * A bar for each hour, with the same numbers as a table.
 * @param mode `stacked`: parts add up. `overlaid`: each is drawn from zero, the first in front.
 */
export function BarChart(props: {
  readonly label: string;
  readonly mode: 'stacked' | 'overlaid';
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}) {
  const { label, mode, bars, format } = props;
  const heightOf = ({ parts }: Bar) =>
    mode === 'stacked'
      ? parts.reduce((sum, { value }) => sum + value, 0)
      : Math.max(0, ...parts.map(({ value }) => value));
  const top = Math.max(...bars.map(heightOf));
  const names = bars[0]?.parts ?? [];
  if (top === 0) return <p class="muted empty-chart">Nothing in the last {bars.length} hours</p>;
  return (
    <figure class="chart">
      <figcaption>
        {names.map(({ name, tone }) => (
          <span key={name} class={`key ${tone}`}>
            {name}
          </span>
        ))}
        <span class="top-value">{format(top)}</span>
      </figcaption>
      <div class={`bars ${mode}`} aria-hidden="true">
        {bars.map((bar) => (
          <div key={bar.hour} class="bar" title={titleOf(bar, format)}>
            {bar.parts.map(({ name, value, tone }) => (
              <span key={name} class={tone} style={{ height: `${(value / top) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      <div class="axis" aria-hidden="true">
        {bars.map(({ hour }, index) => (
          <span key={hour}>{index % LABEL_HOURS === 0 ? formatHour(hour) : ''}</span>
        ))}
      </div>
      <details>
        <summary>
          As a table<span class="visually-hidden">: {label}</span>
        </summary>
        <div class="scroll" role="region" aria-label={label} tabindex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                {names.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ hour, parts }) => (
                <tr key={hour}>
                  <th scope="row">{formatHour(hour)}</th>
                  {parts.map(({ name, value }) => (
                    <td key={name}>{format(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function titleOf({ hour, parts }: Bar, format: (value: number) => string): string {
  return `${formatHour(hour)}: ${parts.map(({ name, value }) => `${name} ${format(value)}`).join(', ')}`;
}
