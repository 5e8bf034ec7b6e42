import type { Reporter, TestModule } from 'vitest/node';

/** Says how to run alone each test that failed, and each file of which something else did. */
export default class RepeatReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const commands = modules.filter((module) => module.state() === 'failed').flatMap(commandsOf);
    if (commands.length > 0) console.log(`To repeat what failed:\n${[...new Set(commands)].join('\n')}\n`);
  }
}

/** What runs the files of a mode. */
const RUNNERS: Readonly<Record<string, string>> = {
  test: 'npm test --',
  rest: 'npm run test:rest --',
  browser: 'npm run test:browser --',
  nightly: 'npx vitest run --mode nightly',
};

function commandsOf({ project, relativeModuleId, children }: TestModule): string[] {
  const ofProject = project.name === '' ? '' : ` --project ${project.name}`;
  const command = `  ${RUNNERS[project.vite.config.mode] ?? 'npx vitest run'}${ofProject} ${relativeModuleId}`;
  const tests = Array.from(
    children.allTests('failed'),
    ({ fullName }) => `${command} -t ${quoted(patternOf(fullName))}`,
  );
  // A hook that fails fails its file, and skips tests.
  return tests.length === 0 ? [command] : tests;
}

/** A regular expression that matches this name alone. */
const patternOf = (name: string) => `^${name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;

/** As one word for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
