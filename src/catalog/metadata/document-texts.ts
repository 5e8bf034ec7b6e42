import { z } from 'zod';
import { issuesOf, type InputIssue } from '../../core/domain-error.ts';
import { urlField } from '../../core/fields.ts';
import type { TokenDocument } from '../../platform/database/schema.ts';

/** Specification, Limits: metadata JSON input, in bytes. Nothing else bounds a text in it. */
export const METADATA_BYTES = 512 * 1_024;

type TextKey = Exclude<keyof TokenDocument, 'attributes' | 'utility'>;

/** A text at the top level of a document. */
export interface Text {
  readonly key: TextKey;
  readonly isRequired?: true;
  /** Of a request, in JSON Schema. */
  readonly schema: {
    readonly description: string;
    readonly example: string;
    readonly minLength?: number;
    readonly pattern?: string;
    readonly format?: string;
  };
  /** For what the specification lacks. It is not in the schemas, because published schemas are never edited. */
  readonly rule?: z.ZodType;
}

/** The schema of a URL in a request. */
export const urlSchema = (description: string, example: string) =>
  ({ type: 'string', format: 'iri', maxLength: METADATA_BYTES, description, example }) as const;

const HEX_COLOR = /^[0-9a-fA-F]{6}$/;

/**
 * The texts of a document by their names in requests. Requests, replies, the public document and the API document
 * follow this table. The fields with a rule have OpenSea's form: https://docs.opensea.io/docs/metadata-standards.
 */
const TEXTS = {
  name: {
    key: 'name',
    isRequired: true,
    schema: { minLength: 1, description: 'Name of the token', example: 'Seat 12, zone A' },
  },
  description: {
    key: 'description',
    schema: { description: 'About the token', example: 'One seat, one evening.' },
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
    rule: urlField('media', METADATA_BYTES),
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
