import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import config from '../../vitest.config.ts';

const projects = (config.test?.projects ?? []).map((project) => {
  if (typeof project !== 'object' || !('test' in project)) throw new Error('A project is not configured here');
  return project.test ?? {};
});

/**
 * Where a project does not say how many workers it has, Vitest takes the number from the cores; and it refuses to start a group of projects with
 * different numbers.
 */
it('each project of the test suite has a number of workers, and those of a group have the same, so that it starts on any number of cores', () => {
  const groups = Map.groupBy(projects, ({ sequence }) => sequence?.groupOrder ?? 0);
  const numbers = Array.from(groups.values(), (group) => [...new Set(group.map(({ maxWorkers }) => maxWorkers))]);
  expect(numbers).toEqual([[expect.any(Number)], [expect.any(Number)]]);
});

it('each project of the test suite finds its tests by every pattern that it has', () => {
  const patterns = projects.flatMap(({ include }) => include ?? []);
  expect(patterns.length).toBeGreaterThanOrEqual(projects.length);
  expect(patterns.filter((pattern) => globSync(pattern).length === 0)).toEqual([]);
});
