import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe('docs/security.md', () => {
  it('names only files that exist', () => {
    const text = readFileSync('docs/security.md', 'utf8');
    const files = Array.from(text.matchAll(/\b(?:src|test|docs|contracts)\/[\w./-]+\.\w+/g), ([file]) => file);
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});
