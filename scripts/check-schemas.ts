import path from 'node:path';
import { commandLine } from '../cli/command-line.ts';
import { publishSchemas, schemaProblems } from './schemas/published-schemas.ts';

const USAGE = `npm run schemas:check [-- --publish]

Checks that no published metadata schema was edited.
  --publish  first add new files to schemas/published.json; existing entries do not change
Examples:
  npm run schemas:check
  npm run schemas:check -- --publish`;

const directory = path.join(import.meta.dirname, '../schemas');
const { values } = commandLine(USAGE, { publish: { type: 'boolean', default: false } });

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
