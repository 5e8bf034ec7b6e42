import * as fc from 'fast-check';
import { maxUint256 } from 'viem';
import { type Loose, resolved } from './api-document.ts';

const ADDRESS = '^0x[0-9a-fA-F]{40}$';
const UINT256 = '^(0|[1-9]\\d{0,77})$';
const CHAIN = '^[1-9]\\d{0,15}$';
const GTIN = '^(\\d{8}|\\d{12,14})$';

const hex = (digits: number) =>
  fc
    .array(fc.constantFrom(...Array.from('0123456789abcdef')), { minLength: digits, maxLength: digits })
    .map((all) => `0x${all.join('')}`);

/** A URL that every field for URLs takes. */
const url = fc
  .tuple(
    fc.constantFrom('https://example.com', 'https://예.kr', 'http://example.org:8080'),
    fc.stringMatching(/^[a-z0-9]{0,12}$/),
  )
  .map(([origin, path]) => `${origin}/${path}`);

const PATTERNS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  // In lower case: mixed case would be a checksum.
  [ADDRESS]: hex(40).filter((address) => !/^0x0+$/.test(address)),
  [UINT256]: fc.bigInt({ min: 0n, max: maxUint256 }).map(String),
  [CHAIN]: fc.constantFrom('43114', '43114', '43114', '43113'),
  // With their check digits.
  [GTIN]: fc.constantFrom('09506000134352', '9506000134352', '036000291452', '96385074'),
};

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  uri: url,
  iri: url,
  uuid: fc.uuid({ version: 4 }),
};

/** Values that a schema of the document allows. Optional members may be absent. */
export function fromSchema(document: Loose, given: Loose): fc.Arbitrary<unknown> {
  const schema = resolved(document, given);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) return fc.oneof(...branches.map((branch: Loose) => fromSchema(document, branch)));
  const types: string[] = [schema.type ?? 'object'].flat();
  return fc.oneof(...types.map((type) => ofType(document, { ...schema, type })));
}

function ofType(document: Loose, schema: Loose): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integer(schema);
    case 'number':
      return fc.oneof(
        integer(schema),
        fc.integer({ min: 0, max: 1_000_000 }).map((cents) => cents / 100),
      );
    case 'array':
      return (schema.uniqueItems === true ? fc.uniqueArray : fc.array)(fromSchema(document, schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'string':
      return text(schema);
    default:
      return object(document, schema);
  }
}

function integer({ minimum = 0, maximum = 1_000_000_000 }: Loose): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));
}

function text({ pattern, format, minLength = 0, maxLength = 40 }: Loose): fc.Arbitrary<string> {
  if (pattern !== undefined) return PATTERNS[pattern] ?? fc.stringMatching(new RegExp(pattern));
  if (format !== undefined && FORMATS[format] !== undefined) return FORMATS[format];
  return fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) })
    .filter((value) => value.length <= maxLength);
}

function object(document: Loose, { properties = {}, required = [], minProperties = 0, additionalProperties }: Loose) {
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fromSchema(document, schema)])),
    { requiredKeys: required },
  );
  if (typeof additionalProperties !== 'object')
    return named.filter((value) => Object.keys(value).length >= minProperties);
  // The keys of such an object are chain ids.
  const more = fc.dictionary(fc.constantFrom('43114', '43113'), fromSchema(document, additionalProperties));
  return fc.tuple(named, more).map(([one, other]) => ({ ...one, ...other }));
}
