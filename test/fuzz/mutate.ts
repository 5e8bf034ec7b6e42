import * as fc from 'fast-check';
import { isPlainObject } from './is-plain-object.ts';
import { LongText, Members } from './json-text.ts';
import { type Insertion, insertion, withInsertion } from './insertion.ts';
import { ODD_KEYS, oddValue } from './odd-values.ts';

/** One change to a JSON value, at a place that is chosen among those it has. */
export interface Mutation {
  /** The number of the place, modulo how many there are. */
  readonly place: number;
  readonly change:
    | { readonly type: 'replace'; readonly value: unknown }
    | { readonly type: 'insert'; readonly insertion: Insertion }
    | { readonly type: 'remove' }
    | { readonly type: 'add'; readonly key: string; readonly value: unknown }
    | { readonly type: 'repeat'; readonly value: unknown };
}

/** An odd character at some place of a text. */
export const textMutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  change: insertion.map((one) => ({ type: 'insert' as const, insertion: one })),
});

const change: fc.Arbitrary<Mutation['change']> = fc.oneof(
  { weight: 6, arbitrary: oddValue.map((value) => ({ type: 'replace' as const, value })) },
  { weight: 2, arbitrary: fc.constant({ type: 'remove' as const }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.oneof(fc.constantFrom(...ODD_KEYS), fc.string({ maxLength: 20 })), oddValue)
      .map(([key, value]) => ({ type: 'add' as const, key, value })),
  },
  { weight: 2, arbitrary: oddValue.map((value) => ({ type: 'repeat' as const, value })) },
);

export const mutation: fc.Arbitrary<Mutation> = fc.record({ place: fc.nat(), change });

/** A member of an object or an array: the way to it, as keys from the root. */
type Path = readonly (string | number)[];

/** @returns a copy of the value with the change; the value itself if nothing in it can be changed so. */
export function mutate(value: unknown, { place, change: wanted }: Mutation): unknown {
  const all = Array.from(membersOf(value, []));
  const places = wanted.type === 'insert' ? all.filter(([, member]) => typeof member === 'string') : all;
  const [path, member] = places[place % Math.max(1, places.length)] ?? [];
  if (path === undefined) return value;
  if (wanted.type !== 'insert') return changeAt(value, path, wanted);
  return changeAt(value, path, { type: 'replace', value: withInsertion(String(member), wanted.insertion) });
}

function* membersOf(value: unknown, path: Path): Generator<readonly [Path, unknown]> {
  if (!isPlain(value)) return;
  for (const [key, member] of Object.entries(value)) {
    yield [[...path, key], member];
    yield* membersOf(member, [...path, key]);
  }
}

function isPlain(value: unknown): value is Record<string, unknown> | unknown[] {
  return Array.isArray(value) || isPlainObject(value);
}

function changeAt(
  value: unknown,
  [key, ...rest]: Path,
  wanted: Exclude<Mutation['change'], { type: 'insert' }>,
): unknown {
  if (Array.isArray(value)) {
    const index = Number(key);
    if (rest.length > 0) return value.with(index, changeAt(value[index], rest, wanted));
    if (wanted.type === 'remove') return value.toSpliced(index, 1);
    return wanted.type === 'replace' ? value.with(index, wanted.value) : value.toSpliced(index, 0, wanted.value);
  }
  const entries = Object.entries(value as Record<string, unknown>);
  const at = entries.findIndex(([name]) => name === String(key));
  const member = entries[at]?.[1];
  if (rest.length > 0) return members(entries.with(at, [String(key), changeAt(member, rest, wanted)]));
  switch (wanted.type) {
    case 'replace':
      return members(entries.with(at, [String(key), wanted.value]));
    case 'remove':
      return members(entries.toSpliced(at, 1));
    case 'add':
      return members([...entries, [wanted.key, wanted.value]]);
    case 'repeat':
      return members([...entries, [String(key), wanted.value]]);
    default:
      return wanted satisfies never;
  }
}

/** An object if it can hold the members, so that a further mutation finds them. */
function members(entries: readonly (readonly [string, unknown])[]): unknown {
  const names = new Set(entries.map(([key]) => key));
  return names.size === entries.length && !names.has('__proto__') ? Object.fromEntries(entries) : new Members(entries);
}

/** A string of 10 MB, which no route accepts. */
export const huge = new LongText(10 * 1_024 * 1_024);
