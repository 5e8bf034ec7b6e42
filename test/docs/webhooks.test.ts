import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/webhooks/event.ts';
import { NOTICES } from '../../src/webhooks/notices.ts';

describe('docs/webhooks.md', () => {
  it('has every event in its table, and no other', () => {
    const [, table = ''] = readFileSync('docs/webhooks.md', 'utf8').split('## Events');
    const rows = (table.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
    const types = rows.flatMap((row) =>
      Array.from((row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g), ([, type]) => type),
    );
    expect(new Set(types)).toEqual(new Set([...Object.keys(EVENT_TYPES), ...Object.keys(NOTICES)]));
  });
});
