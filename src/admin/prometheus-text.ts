/** A value with the labels that tell it from the others of its metric. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric and what it measures. */
export interface Metric {
  readonly type: 'gauge' | 'counter';
  readonly help: string;
}

/** How many observations are at most so high. */
interface Bucket {
  /** The upper bound; infinite for those above all others. */
  readonly le: number;
  /** Of this bucket alone. */
  readonly count: number;
}

export interface Distribution {
  readonly labels: Readonly<Record<string, string>>;
  /** In any order; empty ones may be missing. */
  readonly buckets: readonly Bucket[];
  readonly sum: number;
}

/**
 * A gauge or a counter in Prometheus' text format, version 0.0.4.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricText(name: string, { type, help }: Metric, samples: readonly Sample[]): string {
  return [...headOf(name, type, help), ...samples.map((sample) => line(name, sample))].join('\n');
}

/** A histogram in the same format. @param bounds All upper bounds, ascending, without the infinite one. */
export function histogramText(
  name: string,
  help: string,
  bounds: readonly number[],
  distributions: readonly Distribution[],
): string {
  const lines = distributions.flatMap(({ labels, buckets, sum }) => {
    let total = 0;
    const cumulative = [...bounds, Infinity].map((le) => {
      total += buckets.filter((bucket) => bucket.le === le).reduce((count, bucket) => count + bucket.count, 0);
      return line(`${name}_bucket`, { labels: { ...labels, le: numberText(le) }, value: total });
    });
    return [
      ...cumulative,
      line(`${name}_sum`, { labels, value: sum }),
      line(`${name}_count`, { labels, value: total }),
    ];
  });
  return [...headOf(name, 'histogram', help), ...lines].join('\n');
}

function headOf(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`];
}

function line(name: string, { labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function numberText(value: number): string {
  return value === Infinity ? '+Inf' : String(value);
}
