import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dependencyTable, withTable } from './dependencies/dependency-table.ts';
import { lockFileProblems, readLockFile } from './dependencies/lock-file.ts';
import { shippedPackages } from './dependencies/shipped-packages.ts';
import { shippedProblems } from './dependencies/shipped-problems.ts';

/**
 * Checks the lock file, the licences of the packages that ship, and their table in docs/dependencies.md.
 *
 * Usage: npm run dependencies:check -- [--write]
 *
 * With --write, the table is first brought up to date.
 */

const DOCUMENT = 'docs/dependencies.md';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const lockFile = readLockFile('package-lock.json');
const shipped = await shippedPackages(lockFile);
const document = readFileSync(DOCUMENT, 'utf8');
const expected = withTable(document, dependencyTable(shipped));
if (values.write) writeFileSync(DOCUMENT, expected);
const problems = [
  ...lockFileProblems(lockFile),
  ...shippedProblems(shipped),
  ...(values.write || document === expected
    ? []
    : [
        `${DOCUMENT} does not list what ships. Run npm run dependencies:check -- --write, and look for known weaknesses`,
      ]),
];

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`All packages have hashes; ${shipped.length} ship, as ${DOCUMENT} says`);
}
