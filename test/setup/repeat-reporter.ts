import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Says for each test that failed how to run it alone. */
export default class RepeatReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.flatMap((module) => Array.from(module.children.allTests('failed')));
    if (failed.length === 0) return;
    console.log(`To repeat what failed:\n${[...new Set(failed.map(commandOf))].join('\n')}\n`);
  }
}

function commandOf({ module, fullName, project }: TestCase): string {
  const script = project.vite.config.mode === 'rest' ? 'npm run test:rest' : 'npm test';
  const title = fullName.replaceAll(' > ', ' ').replaceAll("'", String.raw`'\''`);
  return `  ${script} -- --project ${project.name} ${module.relativeModuleId} -t '${title}'`;
}
