import { Validator } from '@cfworker/json-schema';
import type { OutputUnit } from '@cfworker/json-schema';
import type { MetadataFault } from '../../http/domain-error.ts';
import { childPath } from './json-path.ts';
import { schemaOf, typeOfSchema } from './schemas.ts';
import type { SchemaVersion } from './schemas.ts';

/** Keywords whose errors only say that something inside them failed, which has an error of its own. */
const WRAPPERS = new Set(['properties', 'items', 'allOf', 'if']);

const validators = new Map<SchemaVersion, Validator>();

/**
 * Validates a document in the form that marketplaces read (snake_case).
 * @returns every fault; none means that it is valid. `path` is JSONPath.
 */
export function validateDocument(document: unknown, version: SchemaVersion): MetadataFault[] {
  const schema = schemaOf(version);
  let validator = validators.get(version);
  if (validator === undefined) {
    validator = new Validator(schema, '2020-12', false);
    validators.set(version, validator);
  }
  const type = typeOfSchema(version);
  const faults = new Map<string, MetadataFault>();
  for (const unit of validator.validate(document).errors) {
    if (WRAPPERS.has(unit.keyword) || unit.keywordLocation.includes('/contains/')) continue;
    const { path, message } = describe(unit, schema, document);
    // A value that breaks a general rule and a trait's own is one fault: what the trait expects says more, and comes later.
    const key = unit.keyword === 'contains' ? message : path;
    faults.set(key, { path, message, schemaVersion: version, type });
  }
  return [...faults.values()];
}

function describe(unit: OutputUnit, schema: object, document: unknown): { path: string; message: string } {
  const path = jsonPath(unit.instanceLocation);
  const rule = at(schema, unit.keywordLocation);
  switch (unit.keyword) {
    case 'required': {
      const [, key = ''] = /"(.*)"/.exec(unit.error) ?? [];
      return { path: childPath(path, key), message: `missing required key "${key}"` };
    }
    case 'contains': {
      const trait = at(schema, parent(unit.keywordLocation));
      return { path, message: `missing required ${descriptionOf(trait)}` };
    }
    case 'type':
      return { path, message: `${subject(unit, document)}must be a ${[rule].flat().join(' or ')}` };
    case 'const':
      return { path, message: `${subject(unit, document)}must be ${JSON.stringify(rule)}` };
    case 'enum':
      return { path, message: `${subject(unit, document)}must be one of ${JSON.stringify(rule)}` };
    case 'minLength':
      return { path, message: `${subject(unit, document)}must have at least ${String(rule)} character` };
    case 'maxLength':
      return { path, message: `${subject(unit, document)}must have at most ${String(rule)} characters` };
    case 'format':
      return { path, message: `${subject(unit, document)}must be a valid ${String(rule)}` };
    default:
      return { path, message: unit.error };
  }
}

/** `trait "Event Date": ` where the fault is inside an item of `attributes` that says which trait it is. */
function subject({ instanceLocation }: OutputUnit, document: unknown): string {
  const [, item] = /^(#\/attributes\/\d+)\//.exec(instanceLocation) ?? [];
  const trait = item === undefined ? undefined : at(document, item);
  return typeof trait === 'object' && trait !== null && 'trait_type' in trait
    ? `trait ${JSON.stringify(trait.trait_type)}: `
    : '';
}

function descriptionOf(rule: unknown): string {
  return typeof rule === 'object' && rule !== null && 'description' in rule ? String(rule.description) : 'item';
}

/** What stands at a JSON pointer in its URI fragment form. */
function at(root: unknown, pointer: string): unknown {
  return segments(pointer).reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    root,
  );
}

function parent(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

function segments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function jsonPath(pointer: string): string {
  return segments(pointer).reduce(childPath, '$');
}
