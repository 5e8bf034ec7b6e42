import { expect, it } from 'vitest';
import { journalIssues } from './journal-issues.ts';

const journal = (...times: readonly number[]) =>
  JSON.stringify({ entries: times.map((when, index) => ({ idx: index, tag: `000${index}`, when })) });

it('the migrations of a journal are made one after another', () => {
  expect(journalIssues(journal(1, 2, 3), ['0000.sql', '0001.sql', '0002.sql'])).toEqual([]);
});

it.each([
  [1, 3, 2],
  [1, 2, 2],
])('a migration of a merged branch that is not the latest is named: %j', (...times) => {
  expect(journalIssues(journal(...times), [])).toEqual([expect.stringMatching(/^0002 is not later/)]);
});

it('a file that the journal does not list is named', () => {
  expect(journalIssues(journal(1), ['0000.sql', '0001_by_hand.sql'])).toEqual(['does not list 0001_by_hand.sql']);
});
