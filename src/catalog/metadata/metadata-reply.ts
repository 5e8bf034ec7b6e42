import { z } from 'zod';
import { instantField, recordIdField } from '../../core/fields.ts';
import type { Metadata } from './metadata.store.ts';
import { SCHEMA_VERSIONS, UTILITY_TYPES } from './schemas.ts';
import { shownChainId } from '../../core/reply-fields.ts';

const shownText = (description: string, example: string) => z.string().meta({ description, example });

const fields = {
  name: shownText('Name of the token', 'Seat 12, zone A'),
  description: shownText('About the token', 'One seat, one evening.'),
  image: shownText('URL of the picture', 'https://example.com/ticket.png'),
  external: shownText('URL of a page about the token', 'https://example.com/tickets/12'),
  animation: shownText('URL of media that marketplaces play', 'https://example.com/ticket.mp4'),
  background: shownText('Background of the picture: six hex digits', 'ffffff').meta({ pattern: '^[0-9a-fA-F]{6}$' }),
  traitType: shownText('Name of the trait', 'Seat'),
  value: z.union([z.string(), z.number(), z.boolean()]).meta({
    description: 'Text, number or boolean; a date is Unix time in seconds',
    example: 12,
  }),
  displayType: shownText('How marketplaces show the value', 'number').optional(),
  validationUrl: shownText('URL where the token can be validated', 'https://example.com/validate').optional(),
  type: z.string().meta({ description: 'What the token is for; decides the schema', enum: [...UTILITY_TYPES] }),
  data: z.record(z.string(), z.unknown()).meta({
    description: 'The keys that the schema of the type requires, and any others',
    example: { status: 'Unused' },
  }),
};

const traitSchema = z.object({
  traitType: fields.traitType,
  value: fields.value,
  displayType: fields.displayType,
});

const utilitySchema = z.object({
  type: fields.type,
  validationUrl: fields.validationUrl,
  data: fields.data,
});

/** The form marketplaces expect. */
export const publicDocumentSchema = z
  .object({
    name: fields.name,
    description: fields.description.optional(),
    image: fields.image,
    external_url: fields.external.optional(),
    animation_url: fields.animation.optional(),
    background_color: fields.background.optional(),
    attributes: z
      .array(
        z.object({
          trait_type: fields.traitType,
          value: fields.value,
          display_type: fields.displayType,
        }),
      )
      .meta({ description: 'Traits' }),
    utility: z
      .object({
        type: fields.type,
        validation_url: fields.validationUrl,
        data: fields.data,
      })
      .meta({ description: 'What the token is for' }),
  })
  .meta({ id: 'TokenMetadata' });

/** A Metadata document, as its account sees it. */
export const metadataReplySchema = z
  .object({
    _id: recordIdField.meta({ description: 'The metadataId of a mint' }),
    chainId: shownChainId.meta({ description: 'Intended chain' }),
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
    name: fields.name,
    description: fields.description.nullable(),
    imageUrl: fields.image,
    externalUrl: fields.external.nullable(),
    animationUrl: fields.animation.nullable(),
    backgroundColor: fields.background.nullable(),
    attributes: z.array(traitSchema).meta({ description: 'Traits' }),
    utility: utilitySchema.meta({ description: 'What the token is for' }),
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
    frozenAt: instantField.nullable().meta({ description: 'Since when it cannot be edited, UTC; null while it can' }),
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
    name: metadata.name,
    description: metadata.description,
    imageUrl: metadata.imageUrl,
    externalUrl: metadata.externalUrl,
    animationUrl: metadata.standardFields.animation_url ?? null,
    backgroundColor: metadata.standardFields.background_color ?? null,
    attributes: metadata.attributes,
    utility: metadata.utility,
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
