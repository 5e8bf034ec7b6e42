import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, it } from 'vitest';

const rules = readFileSync('docs/prometheus-rules.yml', 'utf8');
const operations = readFileSync('docs/operations.md', 'utf8');
const monitoring = readFileSync('docs/monitoring.md', 'utf8');

it('each of the four alerts has a runbook in docs/operations.md', () => {
  const alerts = [...rules.matchAll(/- alert: (\w+)$[^]*?runbook: (\S+)$/gm)];
  expect(alerts).toHaveLength(4);
  const headings = [...operations.matchAll(/^#### (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(alerts.map(([, name]) => name));
  for (const [, name = '', runbook] of alerts) expect(runbook).toBe(`docs/operations.md#${name.toLowerCase()}`);
});

/** A metric, alone and with each of its labels. */
const withLabels = (metric: string, labels: readonly string[]) => [metric, ...labels.map((one) => `${metric}{${one}}`)];

/** The metrics of docs/monitoring.md, which test/flows/metrics.test.ts compares with the service, and their labels. */
function knownNames(): Set<string> {
  const rows = [...monitoring.matchAll(/^\| `(nft_\w+)`(, a histogram)?.*? \| +(?:`([\w, ]+)`)? +\|/gm)];
  const names = rows.flatMap(([, metric = '', histogram, list]) => {
    const labels = list?.split(', ') ?? [];
    if (histogram === undefined) return withLabels(metric, labels);
    return [
      ...withLabels(`${metric}_bucket`, [...labels, 'le']),
      ...['_sum', '_count'].flatMap((end) => withLabels(`${metric}${end}`, labels)),
    ];
  });
  // Prometheus' own, of each job.
  return new Set([...names, ...withLabels('up', ['job'])]);
}

/**
 * The metrics that an expression names, each alone and with each label by which it is selected or grouped.
 * @throws if it is not PromQL.
 */
function namesIn(expression: string): string[] {
  const tree = parser.parse(expression);
  const names: string[] = [];
  tree.iterate({
    enter({ name, type, from, to, node }) {
      if (type.isError) throw new Error(`Not PromQL, from "${expression.slice(from)}": ${expression}`);
      const text = expression.slice(from, to);
      if (name === 'Identifier') names.push(text);
      if (name !== 'LabelName') return;
      let scope = node;
      while (scope.parent !== null && !['VectorSelector', 'AggregateExpr'].includes(scope.name)) scope = scope.parent;
      tree.iterate({
        from: scope.from,
        to: scope.to,
        enter(inner) {
          if (inner.name === 'Identifier') names.push(`${expression.slice(inner.from, inner.to)}{${text}}`);
        },
      });
    },
  });
  return names;
}

/** The queries in the text of a section. */
function queriesIn(document: string, heading: string): string[] {
  const [section = ''] = document.split(`\n${heading}\n`)[1]?.split(/^##{1,2} /m) ?? [];
  const queries = Array.from(section.matchAll(/`([^`]*\bnft_[^`]*)`/g), ([, query = '']) => query);
  expect(queries).not.toEqual([]);
  return queries;
}

it('the expressions of alerts, runbooks and service levels are PromQL about metrics and labels that there are', () => {
  const ofAlerts = Array.from(rules.matchAll(/ expr: (?:>-\n)?([^]*?)\n +for:/g), ([, expression = '']) => expression);
  expect(ofAlerts).toHaveLength(4);
  const ofRunbooks = queriesIn(operations, '### Alerts');
  const ofLevels = queriesIn(monitoring, '## Service levels');
  const known = knownNames();
  const named = [...ofAlerts, ...ofRunbooks, ...ofLevels].flatMap(namesIn);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
