import { z } from 'zod';
import { issuesOf, type InputIssue } from '../../core/domain-error.ts';
import { urlField } from '../../core/fields.ts';
import { MAX_URL_BYTES } from '../../core/url-issue.ts';
import type { TokenDocument } from '../../platform/database/schema.ts';
import { isRecord } from './json-value.ts';

type TextKey = Exclude<keyof TokenDocument, 'attributes' | 'utility'>;

/** A text at the top level of a document. */
export interface Text {
  readonly key: TextKey;
  readonly isRequired?: true;
  /** Of a request, in JSON Schema. `maxLength` is in code points. */
  readonly schema: {
    readonly description: string;
    readonly example: string;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
    readonly format?: string;
  };
  /** For what the specification lacks. It is not in the schemas, because published schemas are never edited. */
  readonly rule?: z.ZodType;
}

/** The schema of a URL in a request. */
export const urlSchema = (description: string, example: string) =>
  ({ type: 'string', format: 'iri', maxLength: MAX_URL_BYTES, description, example }) as const;

const HEX_COLOR = /^[0-9a-fA-F]{6}$/;

/**
 * The texts of a document by their names in requests. Requests, replies, the public document and the API document
 * follow this table. The fields with a rule have OpenSea's form: https://docs.opensea.io/docs/metadata-standards.
 */
const TEXTS = {
  name: {
    key: 'name',
    isRequired: true,
    schema: { minLength: 1, maxLength: 200, description: 'Name of the token', example: 'Seat 12, zone A' },
  },
  description: {
    key: 'description',
    schema: { maxLength: 10_000, description: 'About the token', example: 'One seat, one evening.' },
  },
  imageUrl: {
    key: 'image',
    isRequired: true,
    schema: urlSchema('URL of the picture', 'https://example.com/ticket.png'),
  },
  externalUrl: {
    key: 'external_url',
    schema: urlSchema('URL of a page about the token', 'https://example.com/tickets/12'),
  },
  animationUrl: {
    key: 'animation_url',
    schema: urlSchema(
      'URL of media that marketplaces play: a video, audio, a 3D model or a web page',
      'https://example.com/ticket.mp4',
    ),
    rule: urlField('media'),
  },
  backgroundColor: {
    key: 'background_color',
    schema: {
      pattern: HEX_COLOR.source,
      description: 'Background of the picture: six hex digits, without "#"',
      example: 'ffffff',
    },
    rule: z.string().regex(HEX_COLOR, 'must be six hex digits, without "#"'),
  },
} as const satisfies Record<string, Text>;

type Texts = typeof TEXTS;

/** What each text has in common. @returns it by the texts' names in requests. */
export function mapTexts<Result>(of: (text: Text) => Result): Record<keyof Texts, Result> {
  const entries = Object.entries<Text>(TEXTS).map(([name, text]) => [name, of(text)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the table
  return Object.fromEntries(entries) as Record<keyof Texts, Result>;
}

/** The keys of texts in a document, by their names in requests. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has the key of its row
export const TEXT_KEYS = mapTexts(({ key }) => key) as { [Name in keyof Texts]: Texts[Name]['key'] };

/** The most characters of the texts of a trait. */
export const TRAIT_BOUNDS = { trait_type: 200, value: 2_000, display_type: 64 } as const;

const rules = z.object(
  Object.fromEntries(
    Object.values<Text>(TEXTS).flatMap(({ key, rule }) => (rule === undefined ? [] : [[key, rule.optional()]])),
  ),
);

/** The issues of a document's texts that have rules of their own. */
export function displayIssues(document: Readonly<Record<string, unknown>>): InputIssue[] {
  const { error } = rules.safeParse(document);
  return error === undefined ? [] : issuesOf(error).map((issue) => ({ ...issue, path: `$.${issue.path}` }));
}

/**
 * The texts of a document that are too long. The bounds are not in the schemas, because published schemas are never
 * edited. A URL that is too long has an issue of its own. What is in `utility.data` is bounded by the size of the whole
 * document alone.
 */
export function* lengthIssues(document: Readonly<Record<string, unknown>>): Generator<InputIssue> {
  for (const { key, schema } of Object.values<Text>(TEXTS)) {
    yield* lengthIssue(`$.${key}`, document[key], schema.maxLength);
  }
  const { attributes } = document;
  for (const [index, trait] of (Array.isArray(attributes) ? attributes : []).entries()) {
    if (!isRecord(trait)) continue;
    for (const [key, max] of Object.entries(TRAIT_BOUNDS)) {
      yield* lengthIssue(`$.attributes[${index}].${key}`, trait[key], max);
    }
  }
}

function* lengthIssue(path: string, text: unknown, max = Infinity): Generator<InputIssue> {
  // In code points, as JSON Schema counts.
  if (typeof text !== 'string' || Array.from(text).length <= max) return;
  yield { path, message: `must be at most ${max} characters`, code: 'too_long' };
}
