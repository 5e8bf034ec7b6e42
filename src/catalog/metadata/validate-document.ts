import { Validator, type OutputUnit } from '@cfworker/json-schema';
import { z } from 'zod';
import type { InputIssue, MetadataIssue } from '../../core/domain-error.ts';
import type { IssueCode } from '../../core/error-codes.ts';
import { urlIssue } from '../../core/url-issue.ts';
import { METADATA_BYTES } from './document-texts.ts';
import { childPath, isRecord, valueAt } from './json-value.ts';
import { schemaOf, type SchemaVersion } from './schemas.ts';

/**
 * Keywords whose errors are ignored: `format` because URLs are validated here, the others because the error inside them
 * is reported itself.
 */
const IGNORED_KEYWORDS = new Set(['properties', 'items', 'allOf', 'if', 'format']);
/**
 * The URLs in a document. The schemas give them the format `uri`; the rules for URLs are the same for every version.
 */
const URLS = [
  { location: ['image'], use: 'media' },
  { location: ['external_url'], use: 'page' },
  { location: ['utility', 'validation_url'], use: 'page' },
] as const;
/** The most characters of a `utility.type` and of a trait's name that an issue repeats. Both can have any length. */
const SHOWN_LENGTH = 64;

/** The code of an issue, by the keyword of the schema that the value breaks. */
const CODES: ReadonlyMap<string, IssueCode> = new Map([
  ['type', 'wrong_type'],
  ['enum', 'not_allowed'],
  ['const', 'not_allowed'],
  ['pattern', 'invalid_format'],
  ['minLength', 'too_short'],
  ['maxLength', 'too_long'],
  ['minItems', 'too_short'],
  ['maxItems', 'too_long'],
  ['minimum', 'too_small'],
  ['maximum', 'too_big'],
]);

const validators = new Map<SchemaVersion, Validator>();

/**
 * Validates a document in the form marketplaces expect (snake_case).
 * @returns the issues, empty if the document is valid. `path` is JSONPath.
 */
export function validateDocument(document: unknown, version: SchemaVersion): MetadataIssue[] {
  const issues = hasTooManyTraits(document, version)
    ? // The validator overflows the stack on the errors of so many items, so they are not validated.
      [
        ...schemaIssues({ ...document, attributes: [] }, version).filter(({ path }) => path !== '$.attributes'),
        {
          path: '$.attributes',
          message: `must be ${expectation(attributesRule(version))}`,
          code: 'too_long' as const,
        },
      ]
    : schemaIssues(document, version);
  return [...issues, ...urlIssues(document)].map((issue) => ({
    ...issue,
    schemaVersion: version,
    type: shownTypeOf(document),
  }));
}

/** The `utility.type` of a document, truncated as in its issues. */
export function shownTypeOf(document: unknown): string | null {
  const type = valueAt(document, 'utility', 'type');
  return typeof type === 'string' ? type.slice(0, SHOWN_LENGTH) : null;
}

/** The issues of the document's URLs. The schema reports values that are not strings. */
function urlIssues(document: unknown): InputIssue[] {
  return URLS.flatMap(({ location, use }) => {
    const value = valueAt(document, ...location);
    const message = typeof value === 'string' ? urlIssue(value, use, METADATA_BYTES) : undefined;
    return message === undefined
      ? []
      : [{ path: location.reduce<string>(childPath, '$'), message, code: 'invalid_format' }];
  });
}

function attributesRule(version: SchemaVersion): unknown {
  return valueAt(schemaOf(version), 'properties', 'attributes');
}

function hasTooManyTraits(document: unknown, version: SchemaVersion): document is Record<string, unknown> {
  const limit = valueAt(attributesRule(version), 'maxItems');
  const traits = isRecord(document) ? document['attributes'] : undefined;
  return Array.isArray(traits) && typeof limit === 'number' && traits.length > limit;
}

function schemaIssues(document: unknown, version: SchemaVersion): InputIssue[] {
  let validator = validators.get(version);
  if (validator === undefined) {
    validator = new Validator(schemaOf(version), '2020-12', false);
    validators.set(version, validator);
  }
  const issues = new Map<string, InputIssue>();
  for (const unit of validator.validate(document).errors) {
    if (IGNORED_KEYWORDS.has(unit.keyword) || unit.keywordLocation.includes('/contains/')) continue;
    for (const issue of describe(unit, schemaOf(version), document)) {
      // A value that violates a trait's rule and a general rule gets one issue: the trait's, which comes first and says
      // more.
      const key = unit.keyword === 'contains' ? unit.keywordLocation : issue.path;
      if (!issues.has(key)) issues.set(key, issue);
    }
  }
  return [...issues.values()];
}

function describe(unit: OutputUnit, schema: object, document: unknown): InputIssue[] {
  const location = keysOf(unit.instanceLocation);
  const path = location.reduce<string>(childPath, '$');
  const rule = valueAt(schema, ...keysOf(unit.keywordLocation).slice(0, -1));
  switch (unit.keyword) {
    case 'required': {
      const [, key = ''] = /"(.*)"/.exec(unit.error) ?? [];
      // For an object in `utility.data`, the specification requires its keys (`seat.zone`), not the object itself.
      const missing =
        location[1] === 'data'
          ? leavesOf(rule, key)
          : [{ keys: [key], expected: expectation(valueAt(rule, 'properties', key)) }];
      return missing.map(({ keys, expected }) => ({
        path: keys.reduce(childPath, path),
        message: `missing required key "${keys.join('.')}": ${expected}`,
        code: 'required',
      }));
    }
    case 'contains': {
      const name = valueAt(rule, 'contains', 'properties', 'trait_type', 'const');
      const value = expectation(valueAt(rule, 'items', 'then', 'properties', 'value'));
      const display = valueAt(rule, 'items', 'then', 'properties', 'display_type');
      const shown = display === undefined ? '' : `, display type ${expectation(display)}`;
      return [{ path, message: `missing required trait "${String(name)}": ${value}${shown}`, code: 'required' }];
    }
    default:
      return [
        {
          path,
          message: `${subject(location, document)}must be ${expectation(rule)}`,
          code: CODES.get(unit.keyword) ?? 'invalid_value',
        },
      ];
  }
}

/** A required key, or the keys required below it. */
function leavesOf(rule: unknown, key: string): { keys: string[]; expected: string }[] {
  const own = valueAt(rule, 'properties', key);
  const required = valueAt(own, 'required');
  if (!Array.isArray(required)) return [{ keys: [key], expected: expectation(own) }];
  return required.flatMap((inner) =>
    leavesOf(own, String(inner)).map(({ keys, expected }) => ({ keys: [key, ...keys], expected })),
  );
}

/** The prefix `value of the trait "Event Date" ` for an issue in a named trait. */
function subject([list, index, key]: readonly (string | number)[], document: unknown): string {
  if (list !== 'attributes' || index === undefined || key === undefined || key === 'trait_type') return '';
  const name = valueAt(document, list, index, 'trait_type');
  return typeof name === 'string' ? `${key} of the trait ${JSON.stringify(name.slice(0, SHOWN_LENGTH))} ` : '';
}

/** The keys of a JSON pointer in URI fragment form. Numbers are array indexes: no key in the schemas is a number. */
function keysOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => {
      const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
      return /^\d+$/.test(key) ? Number(key) : key;
    });
}

const ruleSchema = z.object({
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  description: z.string().optional(),
});
type Rule = z.output<typeof ruleSchema>;

/** Describes what a JSON Schema rule accepts, as in `a string of 1 to 64 characters (description)`. */
function expectation(schema: unknown): string {
  const rule = ruleSchema.parse(schema ?? {});
  return `${kindOf(rule)}${rule.description === undefined ? '' : ` (${rule.description})`}`;
}

function kindOf(rule: Rule): string {
  const { enum: choices = rule.const === undefined ? [] : [rule.const], type = 'value', format } = rule;
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  const types = format === 'uri' ? ['URI'] : [type].flat();
  return types.map(withArticle).join(' or ') + sizeOf(rule);
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function sizeOf({ minLength = 0, maxLength, maxItems }: Rule): string {
  if (maxItems !== undefined) return ` of at most ${maxItems} items`;
  if (maxLength !== undefined) return ` of ${minLength} to ${maxLength} characters`;
  return minLength === 0 ? '' : ` of ${minLength} or more characters`;
}
