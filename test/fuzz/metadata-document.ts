import * as fc from 'fast-check';
import type { Loose } from './api-document.ts';
import { fromSchema } from './from-schema.ts';

/** The service's names of a document's keys in a request. */
const REQUEST_KEYS: Readonly<Record<string, string>> = {
  image: 'imageUrl',
  external_url: 'externalUrl',
  trait_type: 'traitType',
  display_type: 'displayType',
  validation_url: 'validationUrl',
};

/**
 * Bodies of POST /metadata that a served schema allows.
 * @param schema A reply of GET /schemas/{schemaVersion}.
 */
export function metadataInput(schemaVersion: string, schema: Loose): fc.Arbitrary<Record<string, unknown>> {
  const { name, description, image, external_url: page, utility, attributes } = schema.properties;
  const { type, validation_url: check, data } = utility.properties;
  const kind = type.const ?? 'Flexible';
  return fc
    .record(
      {
        chainId: fc.constantFrom('43114', '43114', '43114', '43113'),
        name: fc.oneof(fromSchema({}, name), fc.string({ minLength: 1, maxLength: 20 })),
        description: fromSchema({}, description),
        image: fromSchema({}, image),
        external_url: fromSchema({}, page),
        attributes: fc
          .tuple(fc.tuple(...listedTraits(attributes)), fc.array(trait, { maxLength: 5 }))
          .map(([listed, others]) => [...listed, ...others]),
        utility: fc.record(
          { type: fc.constant(kind), validation_url: fromSchema({}, check), data: withMore(fromSchema({}, data)) },
          { requiredKeys: ['type', 'data'] },
        ),
        schemaVersion: fc.constant(schemaVersion),
      },
      { requiredKeys: ['chainId', ...schema.required, ...(kind === 'Flexible' ? ['schemaVersion'] : [])] },
    )
    .map((document) => renamed(document) as Record<string, unknown>);
}

const trait = fc.record(
  {
    trait_type: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((name) => `Trait ${name}`),
    value: fc.oneof(fc.string({ maxLength: 20 }), fc.integer(), fc.boolean()),
    display_type: fc.constantFrom('number', 'date', 'boost_number'),
  },
  { requiredKeys: ['trait_type', 'value'] },
);

/** The traits that the schema lists, but the status, which the service adds. */
function listedTraits({ allOf = [] }: Loose): fc.Arbitrary<unknown>[] {
  return allOf
    .filter(({ title }: Loose) => title !== 'Status')
    .map(({ contains, items }: Loose) =>
      fc.record({
        trait_type: fc.constant(contains.properties.trait_type.const),
        value: fromSchema({}, items.then.properties.value),
      }),
    );
}

/** The holder's data may have members that no schema names. */
function withMore(data: fc.Arbitrary<unknown>) {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer(), { maxLength: 3 }),
  );
  const more = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,8}$/), value, { maxKeys: 3 });
  return fc.tuple(data, more).map(([one, other]) => ({ ...(one as object), ...other }));
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [REQUEST_KEYS[key] ?? key, renamed(member)]));
}
