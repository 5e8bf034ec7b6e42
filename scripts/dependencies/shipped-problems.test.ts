import { expect, it } from 'vitest';
import { shippedProblems } from './shipped-problems.ts';

const problemsOf = (licence: string | undefined, isDevelopment = false) =>
  shippedProblems([{ name: 'some-package', version: '1.0.0', licence, isDevelopment, parts: ['Worker'] }]);

it.each(['MIT', 'ISC', '(MIT OR Apache-2.0)', 'MPL-2.0 OR Apache-2.0'])('a package under %s may ship', (licence) => {
  expect(problemsOf(licence)).toEqual([]);
});

it.each([
  'GPL-3.0-only',
  'MIT AND GPL-2.0-only',
  'Apache-2.0 WITH LLVM-exception',
  'SEE LICENSE IN LICENSE',
  undefined,
])('a package under %s may not ship unread', (licence) => {
  expect(problemsOf(licence)).toEqual([`some-package@1.0.0: no known permissive licence: ${licence}`]);
});

it('a development dependency may not ship', () => {
  expect(problemsOf('MIT', true)).toEqual([expect.stringContaining('development dependency')]);
});
