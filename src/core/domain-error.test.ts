import { describe, expect, it } from 'vitest';
import { type InputIssue, listedIssues } from './domain-error.ts';

const MAX_ISSUES = 1_000;
const MAX_ISSUE_BYTES = 512 * 1_024;

const issues = (count: number, path = 'field') =>
  Array.from({ length: count }, (_, index): InputIssue => ({ path: `${path}.${index}`, message: 'is wrong' }));

describe('the issues that an error lists', () => {
  it('are all of them up to 1,000', () => {
    for (const count of [0, 1, MAX_ISSUES]) expect(listedIssues(issues(count))).toEqual(issues(count));
  });

  it('are the first ones if there are more, and a last entry that says how many are left out', () => {
    expect(listedIssues(issues(MAX_ISSUES + 1), '$')).toEqual([
      ...issues(MAX_ISSUES - 1),
      { path: '$', message: 'issues not listed: 2', code: 'more_issues' },
    ]);
    expect(listedIssues(issues(50_000)).at(-1)).toEqual({
      path: '',
      message: 'issues not listed: 49001',
      code: 'more_issues',
    });
  });

  it('are fewer if they are long, measured in the bytes that are sent', () => {
    for (const path of ['x'.repeat(2_000), '\u0001'.repeat(2_000), '한'.repeat(2_000)]) {
      const listed = listedIssues(issues(1_000, path));
      expect(listed.length).toBeGreaterThan(40);
      expect(new TextEncoder().encode(JSON.stringify(listed)).length).toBeLessThan(MAX_ISSUE_BYTES + 1_000);
      expect(listed.at(-1)?.message).toBe(`issues not listed: ${1_001 - listed.length}`);
    }
  });

  it('keep their other fields, and so does the last entry', () => {
    const metadata = issues(2_000).map((issue) => ({ ...issue, type: 'Ticket' }));
    expect(listedIssues(metadata).at(-1)).toMatchObject({ type: 'Ticket' });
  });
});
