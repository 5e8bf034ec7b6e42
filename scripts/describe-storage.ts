// npm run docs:storage: writes docs/storage.md.
import { writeFileSync } from 'node:fs';
import { describeTables } from './storage/describe-tables.ts';

writeFileSync('docs/storage.md', describeTables());
