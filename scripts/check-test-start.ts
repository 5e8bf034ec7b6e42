// npm run test:start: checks that the test suite starts on machines with few and with many cores; it runs no test. Vitest derives its
// defaults from the number of cores, and rejects invalid combinations only when it plans the workers of all projects.
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
import { createVitest } from 'vitest/node';

/** The cores of the machines to check; what runs the suite itself checks this one. */
const MACHINES = [2, 16].filter((cores) => cores !== os.availableParallelism());
const noTimes = { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 };

const reasonOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

/** @returns the errors with which the suite fails to start on a machine with this number of cores. */
async function startErrors(cores: number): Promise<string[]> {
  os.availableParallelism = () => cores;
  os.cpus = () => Array.from({ length: cores }, () => ({ model: '', speed: 0, times: noTimes }));
  syncBuiltinESMExports();
  const vitest = await createVitest('test', { watch: false, testNamePattern: /(?!)/, reporters: [{}] });
  try {
    const byProject = Map.groupBy(await vitest.globTestSpecifications(), ({ project }) => project.name);
    const firstOfEach = [...byProject.values()].map(([first]) => first).filter((first) => first !== undefined);
    if (firstOfEach.length !== vitest.projects.length) return ['A project has no test file'];
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(firstOfEach);
    const loaded = new Set(testModules.map(({ moduleId }) => moduleId));
    return [
      ...unhandledErrors.map(reasonOf),
      ...testModules.flatMap((module) => module.errors().map(reasonOf)),
      ...firstOfEach.flatMap(({ moduleId }) => (loaded.has(moduleId) ? [] : [`${moduleId} was not loaded`])),
    ];
  } finally {
    await vitest.close();
  }
}

for (const cores of MACHINES) {
  const errors = await startErrors(cores);
  if (errors.length === 0) {
    console.log(`The test suite starts with ${cores} cores.`);
  } else {
    console.error(`The test suite does not start with ${cores} cores:\n${errors.join('\n')}`);
    process.exitCode = 1;
  }
}
