import { describe, expect, it } from 'vitest';
import page from '../../docs/webhooks.md?raw';
import { describeEvents } from './event-payloads.ts';

const types = describeEvents().map(({ type }) => type);

describe('the event descriptions', () => {
  it('have distinct types', () => {
    expect(types).toEqual([...new Set(types)]);
  });

  it('cover the table in docs/webhooks.md', () => {
    const table = page.split('## Events')[1]?.split('\n## ')[0] ?? '';
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    const documented = rows.flatMap((row) =>
      Array.from((row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g), ([, type]) => type),
    );
    expect(new Set(documented)).toEqual(new Set(types));
  });
});
