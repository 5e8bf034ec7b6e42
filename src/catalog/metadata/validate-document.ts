import { Validator } from '@cfworker/json-schema';
import type { OutputUnit } from '@cfworker/json-schema';
import type { InputFault, MetadataFault } from '../../core/domain-error.ts';
import { urlFault } from '../../core/url-fault.ts';
import { expectation } from './expectation.ts';
import { childPath } from './json-path.ts';
import { isRecord, valueAt } from './json-value.ts';
import { schemaOf } from './schemas.ts';
import type { SchemaVersion } from './schemas.ts';

/**
 * Keywords whose errors are passed over: of most because something inside them failed, which has an error of its own; of
 * `format` because URLs are looked at here.
 */
const PASSED_OVER = new Set(['properties', 'items', 'allOf', 'if', 'format']);
/** Where a document has URLs. The schemas call each of them a `uri`; what that may be is the same for every version. */
const URLS = [
  { location: ['image'], use: 'media' },
  { location: ['external_url'], use: 'page' },
  { location: ['utility', 'validation_url'], use: 'page' },
] as const;
/** How much of a `utility.type` and of a trait's name is repeated in each fault: both can be of any length. */
const SHOWN_LENGTH = 64;

const validators = new Map<SchemaVersion, Validator>();

/**
 * Validates a document in the form that marketplaces read (snake_case).
 * @returns one entry a fault; none means that it is valid. `path` is JSONPath.
 */
export function validateDocument(document: unknown, version: SchemaVersion): MetadataFault[] {
  const faults = hasTooManyTraits(document, version)
    ? // The validator would run out of stack over the errors of so many items: none of them is looked at.
      [
        ...schemaFaults({ ...document, attributes: [] }, version).filter(({ path }) => path !== '$.attributes'),
        { path: '$.attributes', message: `must be ${expectation(attributesRule(version))}` },
      ]
    : schemaFaults(document, version);
  return [...faults, ...urlFaults(document)].map((fault) => ({
    ...fault,
    schemaVersion: version,
    type: shownTypeOf(document),
  }));
}

/** The `utility.type` of a document, as its faults show it. */
export function shownTypeOf(document: unknown): string | null {
  const type = valueAt(document, 'utility', 'type');
  return typeof type === 'string' ? type.slice(0, SHOWN_LENGTH) : null;
}

/** The faults of the document's URLs. What is no text there is a fault by the schema. */
function urlFaults(document: unknown): InputFault[] {
  return URLS.flatMap(({ location, use }) => {
    const value = valueAt(document, ...location);
    const message = typeof value === 'string' ? urlFault(value, use) : undefined;
    return message === undefined ? [] : [{ path: location.reduce<string>(childPath, '$'), message }];
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

function schemaFaults(document: unknown, version: SchemaVersion): InputFault[] {
  let validator = validators.get(version);
  if (validator === undefined) {
    validator = new Validator(schemaOf(version), '2020-12', false);
    validators.set(version, validator);
  }
  const faults = new Map<string, InputFault>();
  for (const unit of validator.validate(document).errors) {
    if (PASSED_OVER.has(unit.keyword) || unit.keywordLocation.includes('/contains/')) continue;
    for (const fault of describe(unit, schemaOf(version), document)) {
      // A value that breaks a trait's own rule and a general one has one fault. The trait's rule says more, and comes first.
      const key = unit.keyword === 'contains' ? unit.keywordLocation : fault.path;
      if (!faults.has(key)) faults.set(key, fault);
    }
  }
  return [...faults.values()];
}

function describe(unit: OutputUnit, schema: object, document: unknown): InputFault[] {
  const location = keysOf(unit.instanceLocation);
  const path = location.reduce<string>(childPath, '$');
  const rule = valueAt(schema, ...keysOf(unit.keywordLocation).slice(0, -1));
  switch (unit.keyword) {
    case 'required': {
      const [, key = ''] = /"(.*)"/.exec(unit.error) ?? [];
      // The specification names what an object in `utility.data` has to have, `seat.zone` say, and not the object.
      const missing =
        location[1] === 'data'
          ? leavesOf(rule, key)
          : [{ keys: [key], expected: expectation(valueAt(rule, 'properties', key)) }];
      return missing.map(({ keys, expected }) => ({
        path: keys.reduce(childPath, path),
        message: `missing required key "${keys.join('.')}": ${expected}`,
      }));
    }
    case 'contains': {
      const name = valueAt(rule, 'contains', 'properties', 'trait_type', 'const');
      const value = expectation(valueAt(rule, 'items', 'then', 'properties', 'value'));
      const display = valueAt(rule, 'items', 'then', 'properties', 'display_type');
      const shown = display === undefined ? '' : `, display type ${expectation(display)}`;
      return [{ path, message: `missing required trait "${String(name)}": ${value}${shown}` }];
    }
    default:
      return [{ path, message: `${subject(location, document)}must be ${expectation(rule)}` }];
  }
}

/** A key of an object's rule, or the keys that are required below it. */
function leavesOf(rule: unknown, key: string): { keys: string[]; expected: string }[] {
  const own = valueAt(rule, 'properties', key);
  const required = valueAt(own, 'required');
  if (!Array.isArray(required)) return [{ keys: [key], expected: expectation(own) }];
  return required.flatMap((inner) =>
    leavesOf(own, String(inner)).map(({ keys, expected }) => ({ keys: [key, ...keys], expected })),
  );
}

/** `value of the trait "Event Date" ` where the fault is in a trait that says its name. */
function subject([list, index, key]: readonly (string | number)[], document: unknown): string {
  if (list !== 'attributes' || index === undefined || key === undefined || key === 'trait_type') return '';
  const name = valueAt(document, list, index, 'trait_type');
  return typeof name === 'string' ? `${key} of the trait ${JSON.stringify(name.slice(0, SHOWN_LENGTH))} ` : '';
}

/** The keys of a JSON pointer in its URI fragment form. Only arrays have indexes: no key of the schemas is a number. */
function keysOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => {
      const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
      return /^\d+$/.test(key) ? Number(key) : key;
    });
}
