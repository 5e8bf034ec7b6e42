import { readFileSync } from 'node:fs';
import { unreviewedAdvisories } from './dependencies/unreviewed-advisories.ts';
import { readLockFile } from './dependencies/lock-file.ts';
import { runNpm } from './dependencies/run-npm.ts';
import { shippedPackages } from './dependencies/shipped-packages.ts';

/**
 * Asks the registry for advisories about the packages that ship, and fails if there is one that docs/dependencies.md does not name.
 *
 * Usage: npm run dependencies:audit
 *
 * Exit codes: 0 nothing new, 1 an advisory that nobody has looked at, 2 the registry did not answer.
 */

const shipped = await shippedPackages(readLockFile('package-lock.json'));
const report: unknown = JSON.parse(
  runNpm(['audit', '--json', '--omit=dev', '--package-lock-only', '--fetch-retries=0', '--fetch-timeout=20000']),
);
const advisories = unreviewedAdvisories(
  report,
  shipped.map(({ name }) => name),
  readFileSync('docs/dependencies.md', 'utf8'),
);

if (advisories === undefined) {
  console.error('The registry returned no advisories, so nothing was checked.');
  process.exitCode = 2;
} else if (advisories.length > 0) {
  console.error(
    `${advisories.join('\n')}\nUpgrade, or write in docs/dependencies.md why it does not reach what ships.`,
  );
  process.exitCode = 1;
} else {
  console.log(`No advisory about the ${shipped.length} packages that ship is new`);
}
