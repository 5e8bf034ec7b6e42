import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const directory = fileURLToPath(new URL('../../docs/decisions/', import.meta.url));
const read = (file: string) => readFileSync(`${directory}${file}`, 'utf8');
const records = readdirSync(directory).filter((file) => file !== 'README.md');

describe('decision records', () => {
  it('are numbered without gaps, and the list names each one with its title', () => {
    const listed = [...read('README.md').matchAll(/^\| \[(\d+)\]\((\S+)\) +\| (.*?) +\|$/gm)];
    expect(listed.map(([, number, file, title]) => ({ number, file, heading: `# ${number}. ${title}` }))).toEqual(
      records.map((file, index) => ({
        number: String(index + 1).padStart(4, '0'),
        file,
        heading: read(file).split('\n', 1)[0],
      })),
    );
  });

  it.each(records)('%s has a date, a status and every section', (file) => {
    expect(read(file)).toMatch(/^Date: \d{4}-\d\d-\d\d\. Status: (accepted|superseded by \d{4})\.$/m);
    const sections = read(file).match(/^## .*$/gm);
    expect(sections).toEqual(['## Context', '## Decision', '## Consequences', '## Rejected']);
  });
});
