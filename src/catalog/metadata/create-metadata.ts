import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
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
 * The body of POST /metadata. Any JSON value is accepted here: the JSON Schema of the version validates it, so that all issues
 * are reported at once in the form of metadata errors. This schema only documents the API.
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
    animationUrl: { ...uri, description: 'Media that marketplaces play: a video, audio, a 3D model or a web page' },
    backgroundColor: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{6}$',
      description: 'Background of the image: six hex digits, without "#"',
      example: 'ffffff',
    },
    attributes: {
      type: 'array',
      description:
        'The traits that the schema of the type requires, and any others. The trait Status is managed automatically.',
      items: {
        type: 'object',
        required: ['traitType', 'value'],
        additionalProperties: false,
        properties: {
          traitType: { type: 'string' },
          value: { type: ['string', 'number', 'boolean'] },
          displayType: { type: 'string', description: 'Filled in if the schema has one for the trait' },
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
        data: { type: 'object', description: 'The keys that the schema of the type requires, and any others' },
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
 * Validates and stores a metadata document, not yet linked to a token.
 * @param input Any JSON value; the schemas define valid metadata.
 * @throws {DomainError} `invalid`, "Metadata validation failed", with every issue; `forbidden` when the key is not for the
 *   chain.
 */
export async function createMetadata(
  { db, chains, clock, log, newId }: TenantServices,
  input: unknown,
): Promise<Metadata> {
  const assessment = assessInput(input, [...chains.keys()]);
  const { schemaVersion, type } = assessment;
  const issues = assessment.valid ? [] : assessment.issues;
  log.info('metadata.validated', { schemaVersion, type, issues: issues.length });
  if (!assessment.valid) throw new DomainError('invalid', 'Metadata validation failed', issues);

  const { chainId, document } = assessment;
  requireAllowedChain(chains, chainId);
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
