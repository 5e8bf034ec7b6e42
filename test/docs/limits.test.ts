import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { QUOTAS } from '../../src/http/rate-quotas.ts';

const config = readFileSync('wrangler.toml', 'utf8');
const text = readFileSync('docs/operations.md', 'utf8');

describe('docs/operations.md', () => {
  it('documents every limit with its number', () => {
    const configured = Array.from(
      config.matchAll(
        /\[\[ratelimits\]\]\nname = "(\w+_LIMITER)"\nnamespace_id = "\d+"\nsimple = \{ limit = ([\d_]+), period = 60 \}/g,
      ),
      ([, name, limit]) => [name, Number(limit?.replaceAll('_', ''))],
    );
    const described = Array.from(text.matchAll(/^\| `(\w+_LIMITER)` +\| ([\d,]+)/gm), ([, name, limit]) => [
      name,
      Number(limit?.replaceAll(',', '')),
    ]);
    expect(configured.length).toBe(config.match(/\[\[ratelimits\]\]/g)?.length);
    expect(described).toEqual(configured);
    expect(Object.entries(QUOTAS)).toEqual(configured);
  });
});
