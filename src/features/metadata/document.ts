import { schemaOf } from './schemas.ts';
import type { SchemaVersion } from './schemas.ts';

export const STATUS_TRAIT = 'Status';

/** The names of a request's keys -> those of the document. */
const KEYS = { name: 'name', description: 'description', imageUrl: 'image', externalUrl: 'external_url' } as const;
const TRAIT_KEYS = { traitType: 'trait_type', value: 'value', displayType: 'display_type' } as const;
const UTILITY_KEYS = { type: 'type', validationUrl: 'validation_url', data: 'data' } as const;

/**
 * A request's metadata in the form of the document, before validation: values are taken as they are, so that the schema
 * says what is wrong with them. The Status trait is managed here: a caller's own gives way to `utility.data.status`.
 */
export function toDocument(input: Readonly<Record<string, unknown>>, version: SchemaVersion): Record<string, unknown> {
  const utility = isRecord(input['utility']) ? renamed(input['utility'], UTILITY_KEYS) : input['utility'];
  const traits: unknown = input['attributes'] ?? [];
  const attributes = Array.isArray(traits)
    ? traits.map((trait: unknown) => (isRecord(trait) ? withDisplayType(renamed(trait, TRAIT_KEYS), version) : trait))
    : traits;
  const status = statusOf(utility);
  return {
    ...renamed(input, KEYS),
    attributes: status === undefined || !Array.isArray(attributes) ? attributes : withStatusTrait(attributes, status),
    ...(utility === undefined ? {} : { utility }),
  };
}

/** The status that the metadata carries in `utility.data.status`; undefined for none, and for a certificate. */
export function statusOf(utility: unknown): string | undefined {
  if (!isRecord(utility) || utility['type'] === 'Certificate' || !isRecord(utility['data'])) return undefined;
  const status = utility['data']['status'];
  return typeof status === 'string' ? status : undefined;
}

/** The same traits with exactly one Status trait, in the place of the first one there was, or last. */
function withStatusTrait(traits: readonly unknown[], status: string): unknown[] {
  const isStatus = (trait: unknown) => isRecord(trait) && trait['trait_type'] === STATUS_TRAIT;
  const first = traits.findIndex(isStatus);
  const others = traits.filter((trait) => !isStatus(trait));
  return others.toSpliced(first === -1 ? others.length : first, 0, { trait_type: STATUS_TRAIT, value: status });
}

/** Fills in the display type that the schema lists for the trait, where the caller gave none. */
function withDisplayType(trait: Record<string, unknown>, version: SchemaVersion): Record<string, unknown> {
  if ('display_type' in trait) return trait;
  const display = displayTypeOf(trait, version);
  return display === undefined ? trait : { ...trait, display_type: display };
}

/** Reads the schema's `default` for `display_type` out of the branch for this trait and type of value. */
function displayTypeOf(trait: Record<string, unknown>, version: SchemaVersion): unknown {
  const branches = read(schemaOf(version), 'properties', 'attributes', 'items', 'allOf');
  if (!Array.isArray(branches)) return undefined;
  for (const branch of branches) {
    const name = read(branch, 'if', 'properties', 'trait_type', 'const');
    const type = read(branch, 'if', 'properties', 'value', 'type');
    const display = read(branch, 'then', 'properties', 'display_type', 'default');
    const applies = name === trait['trait_type'] && (type === undefined || type === typeof trait['value']);
    if (applies && display !== undefined) return display;
  }
  return undefined;
}

function read(node: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), node);
}

function renamed(source: Readonly<Record<string, unknown>>, names: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => (source[from] === undefined ? [] : [[to, source[from]]])),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
