import { expect, it } from 'vitest';
import config from '../../vitest.config.ts';

/**
 * Where a project does not say how many workers it has, Vitest takes the number from the cores; and it refuses to start a group of projects with
 * different numbers.
 */
it('each project of the test suite has a number of workers, and those of a group have the same, so that it starts on any number of cores', () => {
  const groups = new Map<number, Set<unknown>>();
  for (const project of config.test?.projects ?? []) {
    if (typeof project !== 'object' || !('test' in project)) throw new Error('A project is not configured here');
    const { maxWorkers, sequence } = project.test ?? {};
    const group = sequence?.groupOrder ?? 0;
    groups.set(group, (groups.get(group) ?? new Set()).add(maxWorkers));
  }
  expect([...groups.values()].map((numbers) => [...numbers])).toEqual([[expect.any(Number)], [expect.any(Number)]]);
});
