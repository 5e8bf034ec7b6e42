import * as fc from 'fast-check';
import { abiCall } from './abi.ts';
import type { Loose, Operation } from './api-document.ts';
import { fromSchema } from './from-schema.ts';
import { type Insertion, insertion } from './insertion.ts';
import { metadataInput } from './metadata-document.ts';
import { type Mutation, huge, mutation, textMutation } from './mutate.ts';
import { oddString } from './odd-values.ts';
import { LongText } from './json-text.ts';
import { type WireFault, bodyFault, wireFault } from './wire-fault.ts';

/** A request before it is known which resources there are. */
export interface RequestCase {
  readonly picks: readonly number[];
  /** By name; an absent one is not sent. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly mutations: readonly Mutation[];
  /** Parameters that get another value, or an odd character: their number, modulo how many there are, and which. */
  readonly oddParameters: readonly (readonly [number, string | Insertion])[];
  readonly wireFaults: readonly WireFault[];
}

/** @param schemas The served schemas of metadata, by version. */
export function requestCase(
  document: Loose,
  operation: Operation,
  schemas: Readonly<Record<string, Loose>>,
): fc.Arbitrary<RequestCase> {
  const valid = {
    picks: fc.noShrink(fc.array(fc.nat(1_000_000), { minLength: 16, maxLength: 16 })),
    parameters: parametersOf(document, operation),
    body: bodyOf(document, operation, schemas),
  };
  const none = fc.constant([]);
  const unchanged = { ...valid, mutations: none, oddParameters: none, wireFaults: none };
  const oddParameters = fc.array(fc.tuple(fc.nat(), fc.oneof(oddText, insertion)), { minLength: 1, maxLength: 2 });
  const hasBody = operation.body !== undefined;
  const nearly = fc.oneof(
    fc.record({ ...unchanged, oddParameters }),
    ...(hasBody
      ? [
          fc.record({ ...unchanged, mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }) }),
          fc.record({ ...unchanged, mutations: fc.tuple(textMutation) }),
          fc.record({ ...unchanged, wireFaults: fc.tuple(bodyFault) }),
        ]
      : []),
  );
  const anyBody = fc.oneof(
    { weight: 4, arbitrary: valid.body },
    { weight: 4, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.constant(huge) },
  );
  const wild = fc.record({
    ...unchanged,
    body: hasBody ? anyBody : valid.body,
    mutations: fc.array(mutation, { maxLength: 2 }),
    wireFaults: fc.array(wireFault, { minLength: 1, maxLength: 2 }),
  });
  return fc.oneof(
    { weight: 10, arbitrary: fc.record(unchanged) },
    { weight: 6, arbitrary: nearly },
    { weight: 4, arbitrary: wild },
  );
}

/** Short enough for a path. */
const oddText = oddString.map((value) => (value instanceof LongText ? 'a'.repeat(value.length % 8_000) : value));

function parametersOf(document: Loose, { parameters }: Operation): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    Object.fromEntries(
      parameters.map(({ name, required, schema }) => {
        const value = name === 'idempotency-key' ? idempotencyKey : fromSchema(document, schema);
        // With many filters at once a list is always empty.
        return [
          name,
          required
            ? value
            : fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value }),
        ];
      }),
    ),
  );
}

/** Few are used again. */
const idempotencyKey = fc.oneof(
  { weight: 6, arbitrary: fc.noBias(fc.uuid()) },
  { weight: 1, arbitrary: fc.constantFrom('again-1', 'again-2', 'again-3') },
);

function bodyOf(
  document: Loose,
  operation: Operation,
  schemas: Readonly<Record<string, Loose>>,
): fc.Arbitrary<unknown> {
  if (operation.body === undefined) return fc.constant(undefined);
  const any = fromSchema(document, operation.body);
  if (operation.id === 'createMetadata') {
    return fc.oneof(...Object.entries(schemas).map(([version, schema]) => metadataInput(version, schema)));
  }
  // Without an ABI, the call is one of the built-in ones.
  if (operation.id === 'readContract') return fc.oneof(abiCall, fc.constant({}));
  return any;
}
