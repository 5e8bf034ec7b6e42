import path from 'node:path';
import { parseArgs } from 'node:util';
import { publishSchemas, schemaFaults } from './schemas/published-schemas.ts';

/**
 * Checks that no published metadata schema was edited.
 *
 * Usage: node scripts/check-schemas.ts [--publish]
 *
 * With --publish, files that are new are added to schemas/published.json first. What is there already stays as it is.
 */

const directory = path.join(import.meta.dirname, '../schemas');
const { values } = parseArgs({ options: { publish: { type: 'boolean', default: false } } });

if (values.publish) {
  const added = publishSchemas(directory);
  console.log(added.length === 0 ? 'There is nothing new to publish' : `Published: ${added.join(', ')}`);
}
const faults = schemaFaults(directory);
if (faults.length > 0) {
  console.error(faults.map((fault) => `schemas/${fault}`).join('\n'));
  process.exitCode = 1;
} else {
  console.log('Every metadata schema is as it was published');
}
