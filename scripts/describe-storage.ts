// npm run docs:storage: writes src/platform/database/README.md.
import { writeFileSync } from 'node:fs';
import { describeTables } from './storage/describe-tables.ts';

writeFileSync('src/platform/database/README.md', describeTables());
