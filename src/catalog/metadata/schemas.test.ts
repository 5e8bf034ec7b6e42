import { expect, it } from 'vitest';
import { SCHEMA_EXAMPLES, SCHEMA_VERSIONS } from './schemas.ts';
import { validateDocument } from './validate-document.ts';

it.each(SCHEMA_VERSIONS)('the example of %s is valid', (version) => {
  expect(validateDocument(SCHEMA_EXAMPLES[version], version)).toEqual([]);
});
