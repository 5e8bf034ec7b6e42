import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe('docs/security.md', () => {
  it('names only files that exist', () => {
    const text = readFileSync('docs/security.md', 'utf8');
    const files = Array.from(text.matchAll(/\b(?:src|test|docs|contracts)\/[\w./-]+\.\w+/g), ([file]) => file);
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('names only sections that exist', () => {
    const text = readFileSync('docs/security.md', 'utf8');
    const sections = Array.from(text.matchAll(/(docs\/\w+\.md), "([^"]+)"/g), ([, file = '', title = '']) => [
      file,
      title,
    ]);
    expect(sections.length).toBeGreaterThan(0);
    for (const [file = '', title] of sections) {
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^#+ ${title}$`, 'm'));
    }
  });
});
