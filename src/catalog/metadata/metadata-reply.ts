import { z } from 'zod';
import { instantField, recordIdField } from '../../core/fields.ts';
import type { TokenDocument } from '../../platform/database/schema.ts';
import { TRAIT_KEYS, UTILITY_KEYS, contentOf, renamed } from './document.ts';
import { TEXT_KEYS, mapTexts, type Text } from './document-texts.ts';
import type { Metadata } from './metadata.store.ts';
import { SCHEMA_VERSIONS, UTILITY_TYPES } from './schemas.ts';
import { addressReply, chainIdReply } from '../../core/reply-fields.ts';

const shownText = (description: string, example: string) => z.string().meta({ description, example });

const text = ({ schema: { description, example, pattern } }: Text) =>
  z.string().meta({ description, example, ...(pattern === undefined ? {} : { pattern }) });

const trait = {
  traitType: shownText('Name of the trait', 'Seat'),
  value: z.union([z.string(), z.number(), z.boolean()]).meta({
    description: 'Text, number or boolean; a date is Unix time in seconds',
    example: 12,
  }),
  displayType: shownText('How marketplaces show the value', 'number').optional(),
};

const utility = {
  type: z.string().meta({ description: 'What the token is for; decides the schema', enum: [...UTILITY_TYPES] }),
  validationUrl: shownText('URL where the token can be validated', 'https://example.com/validate').optional(),
  data: z.record(z.string(), z.unknown()).meta({
    description: 'The keys that the schema of the type requires, and any others',
    example: { status: 'Unused' },
  }),
};

const optionalTexts = mapTexts<z.ZodType>((of) => (of.isRequired ? text(of) : text(of).optional()));
const nullableTexts = mapTexts<z.ZodType<string | null>>((of) => (of.isRequired ? text(of) : text(of).nullable()));

/** The form marketplaces expect. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tables of keys are those of the type
export const publicDocumentSchema = z
  .object({
    ...renamed(optionalTexts, TEXT_KEYS),
    attributes: z.array(z.object(renamed<z.ZodType>(trait, TRAIT_KEYS))).meta({ description: 'Traits' }),
    utility: z.object(renamed<z.ZodType>(utility, UTILITY_KEYS)).meta({ description: 'What the token is for' }),
  })
  .meta({ id: 'TokenMetadata' }) as unknown as z.ZodType<TokenDocument>;

/** A Metadata document, as its account sees it. */
export const metadataReplySchema = z
  .object({
    _id: recordIdField.meta({ description: 'The metadataId of a mint' }),
    chainId: chainIdReply.meta({ description: 'Intended chain' }),
    contractAddress: z.string().meta({
      description: "The token's contract, in lower case; empty until a mint is confirmed",
      example: '0x8ba1f109551bd432803012645ac136ddd64dba72',
      pattern: '^(0x[0-9a-f]{40})?$',
    }),
    tokenId: z.string().meta({
      description: 'Token id, decimal; empty until a mint is confirmed',
      example: '1',
      pattern: String.raw`^\d{0,78}$`,
    }),
    holder: addressReply.nullable().meta({
      description:
        'Who holds the token, in lower case, according to the index of transfers; null if nobody or more than one address does, or if it is not indexed. See `GET /holdings`',
    }),
    ...nullableTexts,
    attributes: z.array(z.object(trait)).meta({ description: 'Traits' }),
    utility: z.object(utility).meta({ description: 'What the token is for' }),
    schemaVersion: z
      .string()
      .meta({ description: 'The schema that the document was validated with', enum: [...SCHEMA_VERSIONS] }),
    currentStatus: shownText('Copy of utility.data.status; null if there is none', 'Unused').nullable(),
    standardFields: publicDocumentSchema.meta({ description: 'The document in the form that marketplaces read' }),
    metadataHash: z
      .string()
      .nullable()
      .meta({
        description: 'Certificates only: SHA-256 of the canonical document; otherwise null',
        example: `0x${'5e'.repeat(32)}`,
        pattern: '^0x[0-9a-f]{64}$',
      }),
    version: z.int().meta({ description: 'From 1; raised by every change of the document', example: 1 }),
    frozenAt: instantField.nullable().meta({ description: 'When it was frozen, UTC; null while it can be edited' }),
    createdAt: instantField.meta({ description: 'UTC' }),
    updatedAt: instantField.meta({ description: 'When it last changed, UTC' }),
  })
  .meta({ id: 'Metadata' });

const { _id, currentStatus, version } = metadataReplySchema.shape;

/** A Metadata document, as a key sees it that may only set its status. */
export const statusReplySchema = z.object({ _id, currentStatus, version }).meta({ id: 'MetadataStatus' });

export function statusReply(metadata: Metadata): z.infer<typeof statusReplySchema> {
  return { _id: metadata.id, currentStatus: metadata.currentStatus, version: metadata.version };
}

export function metadataReply(metadata: Metadata): z.infer<typeof metadataReplySchema> {
  return {
    _id: metadata.id,
    chainId: metadata.chainId,
    contractAddress: metadata.contractAddress ?? '',
    tokenId: metadata.tokenId ?? '',
    holder: metadata.holder ?? null,
    ...mapTexts(() => null),
    ...contentOf(metadata.standardFields),
    schemaVersion: metadata.schemaVersion,
    currentStatus: metadata.currentStatus,
    standardFields: metadata.standardFields,
    metadataHash: metadata.metadataHash,
    version: metadata.version,
    frozenAt: metadata.frozenAt?.toISOString() ?? null,
    createdAt: metadata.createdAt.toISOString(),
    updatedAt: metadata.updatedAt.toISOString(),
  };
}
