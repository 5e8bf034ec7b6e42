import { z } from 'zod';
import { DEFAULT_CHAIN } from '../../chains/list.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { assessInput } from './assess-input.ts';
import { certificateHash } from './certificate-hash.ts';
import { valueAt } from './json-value.ts';
import { insertMetadata } from './metadata.store.ts';
import type { Metadata } from './metadata.store.ts';
import { SCHEMA_VERSIONS, UTILITY_TYPES } from './schemas.ts';

const uri = { type: 'string', format: 'iri' } as const;

/**
 * The body of POST /metadata. It is taken as it comes, whatever it is: the JSON Schema of its version says what is wrong
 * with it, all of it at once and in the one form that metadata errors have. What stands here is for the API's description.
 */
export const metadataInput = z.unknown().meta({
  id: 'CreateMetadata',
  type: 'object',
  required: ['chainId', 'name', 'imageUrl', 'utility'],
  additionalProperties: false,
  properties: {
    chainId: { type: 'string', description: 'The intended chain', example: DEFAULT_CHAIN.id },
    contractAddress: { type: 'string', description: 'Ignored: filled in when a mint is confirmed' },
    tokenId: { type: 'string', description: 'Ignored: filled in when a mint is confirmed' },
    name: { type: 'string', example: 'Seat 12, zone A' },
    description: { type: 'string' },
    imageUrl: { ...uri, example: 'https://example.com/ticket.png' },
    externalUrl: uri,
    animationUrl: { ...uri, description: 'Media that marketplaces play: video, sound, a 3D model, a page' },
    backgroundColor: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{6}$',
      description: 'Behind the picture: six hex digits, without "#"',
      example: 'ffffff',
    },
    attributes: {
      type: 'array',
      description: 'The traits that the schema of the type lists, and any other. The trait Status is managed here.',
      items: {
        type: 'object',
        required: ['traitType', 'value'],
        additionalProperties: false,
        properties: {
          traitType: { type: 'string' },
          value: { type: ['string', 'number', 'boolean'] },
          displayType: { type: 'string', description: 'Filled in where the schema lists one for the trait' },
        },
      },
    },
    utility: {
      type: 'object',
      required: ['type', 'data'],
      additionalProperties: false,
      properties: {
        type: { type: 'string', enum: [...UTILITY_TYPES] },
        validationUrl: uri,
        data: { type: 'object', description: 'What the schema of the type lists, and anything else' },
      },
    },
    schemaVersion: {
      type: 'string',
      enum: [...SCHEMA_VERSIONS],
      description: 'Default: the newest version for utility.type',
    },
  },
});

/**
 * Validates and stores a metadata document, not yet bound to a token.
 * @param input Any JSON value; what metadata has to be is in the schemas.
 * @throws {DomainError} `invalid`, "Metadata validation failed", with every fault.
 */
export async function createMetadata(
  { db, chains, clock, log, newId }: TenantServices,
  input: unknown,
): Promise<Metadata> {
  const assessment = assessInput(input, [...chains.keys()]);
  const { schemaVersion, type } = assessment;
  const faults = assessment.valid ? [] : assessment.faults;
  log.info('metadata.validated', { schemaVersion, type, faults: faults.length });
  if (!assessment.valid) throw new DomainError('invalid', 'Metadata validation failed', faults);

  const { chainId, document } = assessment;
  const status = valueAt(document.utility, 'data', 'status');
  const now = new Date(clock.now());
  return await insertMetadata(db, {
    id: newId(),
    chainId,
    name: document.name,
    description: document.description ?? null,
    imageUrl: document.image,
    externalUrl: document.external_url ?? null,
    attributes: document.attributes.map(({ trait_type, value, display_type }) => ({
      traitType: trait_type,
      value,
      ...(display_type === undefined ? {} : { displayType: display_type }),
    })),
    utility: {
      type: document.utility.type,
      ...(document.utility.validation_url === undefined ? {} : { validationUrl: document.utility.validation_url }),
      data: document.utility.data,
    },
    schemaVersion,
    currentStatus: typeof status === 'string' ? status : null,
    standardFields: document,
    metadataHash: type === 'Certificate' ? certificateHash(document) : null,
    createdAt: now,
    updatedAt: now,
  });
}
