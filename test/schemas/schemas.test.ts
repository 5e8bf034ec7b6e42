import { readFileSync, readdirSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDocument } from '../../src/catalog/metadata/document.ts';
import { DEFAULT_SCHEMA_VERSION, SCHEMA_VERSIONS } from '../../src/catalog/metadata/schemas.ts';
import { validateDocument } from '../../src/catalog/metadata/validate-document.ts';
import { certificateInput, couponInput, flexibleInput, ticketInput, type Loose } from '../fixtures/metadata-inputs.ts';
import { randomCases } from '../fixtures/random-cases.ts';

const files = readdirSync('schemas').filter((name) => /^\w+@\d+\.\d+\.\d+\.json$/.test(name));
const schemas = files.map((name) => ({
  version: name.replace(/\.json$/, ''),
  schema: JSON.parse(readFileSync(`schemas/${name}`, 'utf8')) as Record<string, unknown>,
}));

/** An independent implementation of JSON Schema, strict: a keyword that it does not know is an error. */
function independentValidator() {
  return new Ajv2020({
    allErrors: true,
    strict: true,
    // The rule for one trait does not repeat the types of the rule for all traits.
    strictTypes: false,
    formats: { uri: /^[a-z][a-z0-9+.-]*:\S+$/i },
  });
}

describe('the schemas', () => {
  it('are the ones that the service knows', () => {
    expect(schemas.map(({ version }) => version).toSorted()).toEqual(SCHEMA_VERSIONS.toSorted());
  });

  it.each(schemas)('$version has its own name and its draft', ({ version, schema }) => {
    expect(schema['$id']).toBe(`urn:nft-issuance-service:metadata:${version}`);
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  });

  it.each(schemas)('$version is valid by the meta-schema of draft 2020-12 and has no unknown keyword', ({ schema }) => {
    const validator = independentValidator();
    expect([validator.validateSchema(schema), validator.errors]).toEqual([true, null]);
    expect(() => validator.compile(schema)).not.toThrow();
  });

  it.each(schemas)('$version is self-contained', ({ schema }) => {
    expect(JSON.stringify(schema)).not.toMatch(/"\$(ref|dynamicRef)":"(?!#)/);
  });
});

/** The path of every value in a document. */
function pathsOf(value: unknown, keys: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[...keys]];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [[...keys], ...entries.flatMap(([key, member]) => pathsOf(member, [...keys, key]))];
}

/** A copy with the value at a path replaced or, for undefined, removed. */
function edited(document: unknown, place: readonly (string | number)[], value: unknown): unknown {
  const copy: { root: unknown } = structuredClone({ root: document });
  const parent = ['root', ...place.slice(0, -1)].reduce<Loose>(
    (node, key) => (place.length === 0 ? copy : node[key]),
    copy,
  );
  const key = place.at(-1) ?? 'root';
  if (value !== undefined) parent[key] = value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (key !== 'root') delete parent[key];
  // JSON fills gaps in arrays with null.
  return JSON.parse(JSON.stringify(copy.root));
}

describe("the service's validator agrees with an independent one", () => {
  const inputs = { Flexible: flexibleInput, Ticket: ticketInput, Coupon: couponInput, Certificate: certificateInput };
  const other = fc.constantFrom<unknown>(
    undefined,
    null,
    5,
    'text',
    '',
    true,
    [],
    {},
    'Status',
    'date',
    'x'.repeat(65),
  );

  it.each(Object.entries(DEFAULT_SCHEMA_VERSION))('on a valid %s and on random edits of it', (type, version) => {
    const valid = toDocument(inputs[type as keyof typeof inputs], version);
    const isValid = independentValidator().compile(schemas.find((schema) => schema.version === version)?.schema ?? {});
    expect([isValid(valid), validateDocument(valid, version)]).toEqual([true, []]);
    const edit = fc.record({ place: fc.constantFrom(...pathsOf(valid)), value: other });
    fc.assert(
      fc.property(edit, edit, (first, second) => {
        let document = edited(valid, first.place, first.value);
        try {
          document = edited(document, second.place, second.value);
        } catch {
          // The first edit removed the path of the second one.
        }
        expect([document, validateDocument(document, version).length === 0]).toEqual([document, isValid(document)]);
      }),
      randomCases(1_000),
    );
  });
});
