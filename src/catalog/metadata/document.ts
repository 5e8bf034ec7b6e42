import type { InputFault } from '../../core/domain-error.ts';
import { childPath } from './json-path.ts';
import { isRecord, valueAt } from './json-value.ts';
import { MAX_KEY_LENGTH } from './portable-json.ts';
import { schemaOf } from './schemas.ts';
import type { SchemaVersion } from './schemas.ts';

const STATUS_TRAIT = 'Status';

/** The names of a request's keys -> those of the document. */
const KEYS = {
  name: 'name',
  description: 'description',
  imageUrl: 'image',
  externalUrl: 'external_url',
  animationUrl: 'animation_url',
  backgroundColor: 'background_color',
} as const;
/** The keys of a request that are not copied into the document as they are. */
const OTHER_KEYS = ['chainId', 'contractAddress', 'tokenId', 'attributes', 'utility', 'schemaVersion', 'metadataHash'];
const TRAIT_KEYS = { traitType: 'trait_type', value: 'value', displayType: 'display_type' } as const;
const UTILITY_KEYS = { type: 'type', validationUrl: 'validation_url', data: 'data' } as const;

/**
 * A request's metadata in the form that marketplaces read, before validation: values are taken as they are, so that the
 * schema says what is wrong with them.
 */
export function toDocument(input: Readonly<Record<string, unknown>>, version: SchemaVersion): Record<string, unknown> {
  const utility = isRecord(input['utility']) ? renamed(input['utility'], UTILITY_KEYS) : input['utility'];
  const traits: unknown = input['attributes'] === undefined ? [] : input['attributes'];
  return {
    ...renamed(input, KEYS),
    attributes: Array.isArray(traits)
      ? withStatusTrait(
          traits.map((trait: unknown) => (isRecord(trait) ? documentTrait(trait, version) : trait)),
          utility,
          version,
        )
      : traits,
    ...(utility === undefined ? {} : { utility }),
  };
}

/**
 * One fault for each key that a request cannot have; only `utility.data` takes keys of the caller's own. Traits are counted
 * as in the request.
 */
export function* unknownKeys(input: Readonly<Record<string, unknown>>): Generator<InputFault> {
  const { attributes, utility } = input;
  yield* unknownIn(input, '$', [...Object.keys(KEYS), ...OTHER_KEYS]);
  for (const [index, trait] of (Array.isArray(attributes) ? attributes : []).entries()) {
    yield* unknownIn(trait, `$.attributes[${index}]`, Object.keys(TRAIT_KEYS));
  }
  yield* unknownIn(utility, '$.utility', Object.keys(UTILITY_KEYS));
}

function* unknownIn(value: unknown, at: string, known: readonly string[]): Generator<InputFault> {
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    if (key.length > MAX_KEY_LENGTH) {
      yield { path: at, message: `unknown key of ${key.length} characters` };
      continue;
    }
    const path = childPath(at, key);
    const meant = requestNameOf(path);
    yield { path, message: `unknown key${meant === undefined ? '' : `: it is called "${meant}" in a request`}` };
  }
}

/** What a request calls the key at a path of the document; undefined where the two names are the same. */
export function requestNameOf(path: string): string | undefined {
  const [, top, ofTrait, ofUtility] = /^\$\.(?:(\w+)|attributes\[\d+\]\.(\w+)|utility\.(\w+))$/.exec(path) ?? [];
  const key = top ?? ofTrait ?? ofUtility;
  const names = top !== undefined ? KEYS : ofTrait !== undefined ? TRAIT_KEYS : UTILITY_KEYS;
  return Object.entries(names).find(([from, to]) => to === key && from !== to)?.[0];
}

/**
 * The Status trait that belongs to this utility: a copy of its status. Free-form metadata without a status has none. Where the schema asks for a status that is missing or no text,
 * that is one fault, and the schema says it of the status: so the trait is there all the same, with an empty text.
 */
function statusTraitFor(utility: unknown, version: SchemaVersion): Record<string, unknown> | undefined {
  const status = valueAt(utility, 'data', 'status');
  const required = valueAt(schemaOf(version), 'properties', 'utility', 'properties', 'data', 'required');
  const isRequired = Array.isArray(required) && required.includes('status');
  if (status === undefined && !isRequired) return undefined;
  return { trait_type: STATUS_TRAIT, value: typeof status === 'string' ? status : '' };
}

/** The traits with no Status trait but the one that belongs there: in the place of the caller's own first one, or last. */
function withStatusTrait(traits: readonly unknown[], utility: unknown, version: SchemaVersion): readonly unknown[] {
  // Nothing of a certificate is left out: what may not be in it is a fault.
  if (valueAt(utility, 'type') === 'Certificate') return traits;
  const statusTrait = statusTraitFor(utility, version);
  const others = traits.filter((trait) => !isStatus(trait));
  if (statusTrait === undefined) return others;
  const first = traits.findIndex(isStatus);
  return others.toSpliced(first === -1 ? others.length : first, 0, statusTrait);
}

/** The Status traits of a certificate, which has no status: it never changes. */
export function* certificateStatusFaults({ attributes }: Readonly<Record<string, unknown>>): Generator<InputFault> {
  for (const [index, trait] of (Array.isArray(attributes) ? attributes : []).entries()) {
    if (isStatus(trait)) {
      yield { path: `$.attributes[${index}]`, message: 'must not be a Status trait: a certificate never changes' };
    }
  }
}

function isStatus(trait: unknown): boolean {
  return valueAt(trait, 'trait_type') === STATUS_TRAIT;
}

/** The trait under the document's names, with the display type that the schema lists for it where the caller gave none. */
function documentTrait(given: Readonly<Record<string, unknown>>, version: SchemaVersion): Record<string, unknown> {
  const trait = renamed(given, TRAIT_KEYS);
  const display = 'display_type' in trait ? undefined : listedDisplayType(trait, version);
  return display === undefined ? trait : { ...trait, display_type: display };
}

/** Reads the `default` of `display_type` out of the schema's rule for the trait, which may depend on the value's type. */
function listedDisplayType(trait: Readonly<Record<string, unknown>>, version: SchemaVersion): unknown {
  const rules = valueAt(schemaOf(version), 'properties', 'attributes', 'allOf');
  const own: unknown = Array.isArray(rules)
    ? rules.find((rule) => valueAt(rule, 'contains', 'properties', 'trait_type', 'const') === trait['trait_type'])
    : undefined;
  const rule = valueAt(own, 'items', 'then');
  const branch = valueAt(rule, 'if', 'properties', 'value', 'type') === typeof trait['value'] ? 'then' : 'else';
  return (
    valueAt(rule, 'properties', 'display_type', 'default') ??
    valueAt(rule, branch, 'properties', 'display_type', 'default')
  );
}

function renamed(source: Readonly<Record<string, unknown>>, names: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]): [string, unknown][] =>
      source[from] === undefined ? [] : [[to, source[from]]],
    ),
  );
}
