import type { InputIssue } from '../../core/domain-error.ts';
import { nearestName } from '../../core/nearest-name.ts';
import type { TokenDocument } from '../../platform/database/schema.ts';
import { TEXT_KEYS } from './document-texts.ts';
import { childPath, isRecord, valueAt } from './json-value.ts';
import { schemaOf, type SchemaVersion } from './schemas.ts';

const STATUS_TRAIT = 'Status';

/** Keys of a request that are not simply renamed. */
const OTHER_KEYS = ['chainId', 'contractAddress', 'tokenId', 'attributes', 'utility', 'schemaVersion', 'metadataHash'];
/** So many unknown keys get a hint: there can be thousands, and finding the nearest name takes time. */
const MAX_COMPARED = 100;
/** Longer unknown keys are not shown. */
const MAX_SHOWN_KEY = 256;
/** Keys of a request -> keys of the document. */
export const TRAIT_KEYS = { traitType: 'trait_type', value: 'value', displayType: 'display_type' } as const;
export const UTILITY_KEYS = { type: 'type', validationUrl: 'validation_url', data: 'data' } as const;

/**
 * Converts a request's metadata to the form marketplaces expect. Values are copied unvalidated, so that the schema
 * reports what is wrong with them.
 */
export function toDocument(input: Readonly<Record<string, unknown>>, version: SchemaVersion): Record<string, unknown> {
  const utility = isRecord(input['utility']) ? renamed(input['utility'], UTILITY_KEYS) : input['utility'];
  const traits: unknown = input['attributes'] === undefined ? [] : input['attributes'];
  return {
    ...renamed(input, TEXT_KEYS),
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

/** What a document says, with the keys of requests: the reverse of {@link toDocument}. */
export function contentOf({ attributes, utility, ...texts }: TokenDocument) {
  return {
    ...restored(texts, TEXT_KEYS),
    attributes: attributes.map((trait) => restored(trait, TRAIT_KEYS)),
    utility: restored(utility, UTILITY_KEYS),
  };
}

/** The status in a document; null if there is none. */
export function statusOf({ utility }: Pick<TokenDocument, 'utility'>): string | null {
  const { status } = utility.data;
  return typeof status === 'string' ? status : null;
}

/**
 * One issue per unknown key. Only `utility.data` may have keys of the caller's choice. Traits have the index that they
 * have in the request.
 */
export function* unknownKeys(input: Readonly<Record<string, unknown>>): Generator<InputIssue> {
  const { attributes, utility } = input;
  let compared = 0;
  const near = (key: string, known: readonly string[]) =>
    (compared += 1) > MAX_COMPARED ? undefined : nearestName(key, known);
  yield* unknownIn(input, '$', [...Object.keys(TEXT_KEYS), ...OTHER_KEYS], near);
  for (const [index, trait] of (Array.isArray(attributes) ? attributes : []).entries()) {
    yield* unknownIn(trait, `$.attributes[${index}]`, Object.keys(TRAIT_KEYS), near);
  }
  yield* unknownIn(utility, '$.utility', Object.keys(UTILITY_KEYS), near);
}

function* unknownIn(
  value: unknown,
  at: string,
  known: readonly string[],
  near: typeof nearestName,
): Generator<InputIssue> {
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    if (key.length > MAX_SHOWN_KEY) {
      yield { path: at, message: `unknown key of ${key.length} characters`, code: 'unknown_field' };
      continue;
    }
    const path = childPath(at, key);
    const requestName = requestNameOf(path) ?? near(key, known);
    yield {
      path,
      message: `unknown key${requestName === undefined ? '' : `: use "${requestName}" in a request`}`,
      code: 'unknown_field',
    };
  }
}

/** The request's name of the key at a path of the document; undefined if the names are the same. */
export function requestNameOf(path: string): string | undefined {
  const [, top, ofTrait, ofUtility] = /^\$\.(?:(\w+)|attributes\[\d+\]\.(\w+)|utility\.(\w+))$/.exec(path) ?? [];
  const key = top ?? ofTrait ?? ofUtility;
  const names = top !== undefined ? TEXT_KEYS : ofTrait !== undefined ? TRAIT_KEYS : UTILITY_KEYS;
  return Object.entries(names).find(([from, to]) => to === key && from !== to)?.[0];
}

/**
 * The Status trait for a utility: a copy of its status. Free-form metadata without a status has none. When a required
 * status is missing or not a string, the trait is added with an empty value, so that the schema reports the status
 * alone and not the trait as well.
 */
function statusTraitFor(utility: unknown, version: SchemaVersion): Record<string, unknown> | undefined {
  const status = valueAt(utility, 'data', 'status');
  const required = valueAt(schemaOf(version), 'properties', 'utility', 'properties', 'data', 'required');
  const isRequired = Array.isArray(required) && required.includes('status');
  if (status === undefined && !isRequired) return undefined;
  return { trait_type: STATUS_TRAIT, value: typeof status === 'string' ? status : '' };
}

/**
 * Replaces the caller's Status traits with the one for the utility: at the position of the first, or at the end. Those
 * of a certificate are kept, so that they are reported as issues and not silently removed.
 */
function withStatusTrait(traits: readonly unknown[], utility: unknown, version: SchemaVersion): readonly unknown[] {
  if (valueAt(utility, 'type') === 'Certificate') return traits;
  const statusTrait = statusTraitFor(utility, version);
  const others = traits.filter((trait) => !isStatus(trait));
  if (statusTrait === undefined) return others;
  const first = traits.findIndex(isStatus);
  return others.toSpliced(first === -1 ? others.length : first, 0, statusTrait);
}

/** One issue per Status trait of a certificate: a certificate never changes, so it has no status. */
export function* certificateStatusIssues({ attributes }: Readonly<Record<string, unknown>>): Generator<InputIssue> {
  for (const [index, trait] of (Array.isArray(attributes) ? attributes : []).entries()) {
    if (isStatus(trait)) {
      yield {
        path: `$.attributes[${index}]`,
        message: 'must not be a Status trait: a certificate never changes',
        code: 'not_allowed',
      };
    }
  }
}

function isStatus(trait: unknown): boolean {
  return valueAt(trait, 'trait_type') === STATUS_TRAIT;
}

/** A trait with the document's keys, and with the schema's display type if the caller gave none. */
function documentTrait(given: Readonly<Record<string, unknown>>, version: SchemaVersion): Record<string, unknown> {
  const trait = renamed(given, TRAIT_KEYS);
  const display = 'display_type' in trait ? undefined : listedDisplayType(trait, version);
  return display === undefined ? trait : { ...trait, display_type: display };
}

/** The `default` of `display_type` in the schema's rule for a trait, which may depend on the type of the value. */
function listedDisplayType(trait: Readonly<Record<string, unknown>>, version: SchemaVersion): unknown {
  const rule = traitRule(trait['trait_type'], version);
  const branch = valueAt(rule, 'if', 'properties', 'value', 'type') === typeof trait['value'] ? 'then' : 'else';
  return (
    valueAt(rule, 'properties', 'display_type', 'default') ??
    valueAt(rule, branch, 'properties', 'display_type', 'default')
  );
}

/** The schema's rule for the traits of a name; undefined if it has none. */
export function traitRule(name: unknown, version: SchemaVersion): unknown {
  const rules = valueAt(schemaOf(version), 'properties', 'attributes', 'allOf');
  const own: unknown = Array.isArray(rules)
    ? rules.find((rule) => valueAt(rule, 'contains', 'properties', 'trait_type', 'const') === name)
    : undefined;
  return valueAt(own, 'items', 'then');
}

/** The members that the names list, under their names. */
export function renamed<Value>(
  source: Readonly<Record<string, Value | undefined>>,
  names: Readonly<Record<string, string>>,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]): [string, Value][] => {
      const value = source[from];
      return value === undefined ? [] : [[to, value]];
    }),
  );
}

type Restored<Source, Names extends Readonly<Record<string, string>>> = {
  [Key in keyof Source as { [From in keyof Names]: Names[From] extends Key ? From : never }[keyof Names]]: Source[Key];
};

/** The reverse of {@link renamed}. */
function restored<Source extends object, Names extends Readonly<Record<string, string>>>(source: Source, names: Names) {
  const originals = new Map(Object.entries(names).map(([from, to]) => [to, from]));
  const entries = Object.entries(source).map(([key, value]) => [originals.get(key) ?? key, value]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the type says of the keys
  return Object.fromEntries(entries) as Restored<Source, Names>;
}
