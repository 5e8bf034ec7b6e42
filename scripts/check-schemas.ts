import path from 'node:path';
import { parseArgs } from 'node:util';
import { publishSchemas, schemaProblems } from './schemas/published-schemas.ts';

/**
 * Checks that no published metadata schema was edited.
 *
 * Usage: npm run schemas:check -- [--publish]
 *
 * With --publish, new files are first added to schemas/published.json. Existing entries do not change.
 */

const directory = path.join(import.meta.dirname, '../schemas');
const { values } = parseArgs({ options: { publish: { type: 'boolean', default: false } } });

if (values.publish) {
  const added = publishSchemas(directory);
  console.log(added.length === 0 ? 'Nothing to publish' : `Published: ${added.join(', ')}`);
}
const problems = schemaProblems(directory);
if (problems.length > 0) {
  console.error(problems.map((problem) => `schemas/${problem}`).join('\n'));
  process.exitCode = 1;
} else {
  console.log('All metadata schemas match what was published');
}
