import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('each of the four alerts has a runbook in docs/operations.md', () => {
  const alerts = [
    ...readFileSync('docs/prometheus-rules.yml', 'utf8').matchAll(/- alert: (\w+)$[^]*?runbook: (\S+)$/gm),
  ];
  expect(alerts).toHaveLength(4);
  const headings = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^#### (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(alerts.map(([, name]) => name));
  for (const [, name = '', runbook] of alerts) expect(runbook).toBe(`docs/operations.md#${name.toLowerCase()}`);
});
