import { z } from 'zod';
import { instantField, recordIdField } from '../../core/fields.ts';
import type { Metadata } from './metadata.store.ts';

const traitSchema = z.object({
  traitType: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]),
  displayType: z.string().optional(),
});

const utilitySchema = z.object({
  type: z.string(),
  validationUrl: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});

/** The form marketplaces expect. */
export const publicDocumentSchema = z
  .object({
    name: z.string(),
    description: z.string().optional(),
    image: z.string(),
    external_url: z.string().optional(),
    animation_url: z.string().optional(),
    background_color: z.string().optional().meta({ description: 'Six hex digits' }),
    attributes: z.array(
      z.object({
        trait_type: z.string(),
        value: z.union([z.string(), z.number(), z.boolean()]),
        display_type: z.string().optional(),
      }),
    ),
    utility: z.object({
      type: z.string(),
      validation_url: z.string().optional(),
      data: z.record(z.string(), z.unknown()),
    }),
  })
  .meta({ id: 'TokenMetadata' });

/** A Metadata document, as its account sees it. */
export const metadataReplySchema = z
  .object({
    _id: recordIdField,
    chainId: z.string(),
    contractAddress: z.string().meta({ description: 'Empty until a mint is confirmed' }),
    tokenId: z.string().meta({ description: 'Empty until a mint is confirmed' }),
    name: z.string(),
    description: z.string().nullable(),
    imageUrl: z.string(),
    externalUrl: z.string().nullable(),
    animationUrl: z.string().nullable(),
    backgroundColor: z.string().nullable().meta({ description: 'Six hex digits' }),
    attributes: z.array(traitSchema),
    utility: utilitySchema,
    schemaVersion: z.string(),
    currentStatus: z.string().nullable(),
    standardFields: publicDocumentSchema,
    metadataHash: z.string().nullable().meta({ description: 'Certificates only: SHA-256 of the canonical document' }),
    createdAt: instantField,
    updatedAt: instantField,
  })
  .meta({ id: 'Metadata' });

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
    createdAt: metadata.createdAt.toISOString(),
    updatedAt: metadata.updatedAt.toISOString(),
  };
}
