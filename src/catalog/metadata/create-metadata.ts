import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { DEFAULT_CHAIN } from '../../chains/list.ts';
import { invalidMetadata, type MetadataIssue } from '../../core/domain-error.ts';
import type { TenantDb } from '../../platform/database/client.ts';
import type { TenantServices } from '../../services.ts';
import { assessInput, type Assessment } from './assess-input.ts';
import { statusOf } from './document.ts';
import { certificateHash } from './portable-json.ts';
import { METADATA_BYTES, mapTexts, urlSchema } from './document-texts.ts';
import { isRecord, valueAt } from './json-value.ts';
import { findMetadata, insertMetadata, type Metadata } from './metadata.store.ts';
import {
  BASE_SCHEMA_VERSION,
  DEFAULT_SCHEMA_VERSION,
  SCHEMA_VERSIONS,
  UTILITY_TYPES,
  schemaOf,
  type UtilityType,
} from './schemas.ts';

/** A text that only the size of the whole input bounds. */
const LONGEST = { type: 'string', maxLength: METADATA_BYTES } as const;

const DATA_EXAMPLES = {
  Ticket: {
    ticket_id: 'T-0001',
    event: { name: 'Opening night', date: 1_793_646_000 },
    seat: { zone: 'A' },
    status: 'Unused',
  },
  Coupon: { token_id: 'C-0001', brand: 'Example', expired_at: 1_793_646_000, status: 'Active' },
  Certificate: { valid_until: 1_924_905_600 },
  Flexible: { status: 'Unused' },
} as const satisfies Record<UtilityType, object>;

/** The form of `utility` for a type: its data has the keys that the published schema requires. */
function utilityOf(type: UtilityType) {
  const data = valueAt(schemaOf(DEFAULT_SCHEMA_VERSION[type]), 'properties', 'utility', 'properties', 'data');
  return {
    title: type,
    type: 'object',
    required: ['type', 'data'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', enum: [type], description: 'What the token is for; decides the schema' },
      validationUrl: urlSchema('Where the token can be validated', 'https://example.com/validate'),
      data: {
        ...(isRecord(data) ? withExamples(data, DATA_EXAMPLES[type]) : {}),
        description: 'The listed keys, and any others',
        example: DATA_EXAMPLES[type],
      },
    },
  };
}

/**
 * Adds examples to the properties of a schema, a bound to texts without one, and a description to those that have none:
 * their name.
 */
function withExamples(schema: Readonly<Record<string, unknown>>, example: unknown): Record<string, unknown> {
  const { properties, type } = schema;
  if (!isRecord(properties)) {
    const isUnboundedText = [type].flat().includes('string') && !('enum' in schema);
    return { ...(isUnboundedText ? { maxLength: METADATA_BYTES } : {}), ...schema, example };
  }
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    isRecord(property) ? { description: `The ${name}`, ...withExamples(property, valueAt(example, name)) } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(described) };
}

/** The properties of a request that describe the token, except `utility`. */
export const CONTENT_PROPERTIES = {
  ...mapTexts(({ schema }) => ({ ...LONGEST, ...schema })),
  attributes: {
    type: 'array',
    maxItems: valueAt(schemaOf(BASE_SCHEMA_VERSION), 'properties', 'attributes', 'maxItems'),
    description:
      'The traits that the schema of the type requires, and any others. The trait Status is managed automatically.',
    items: {
      type: 'object',
      required: ['traitType', 'value'],
      additionalProperties: false,
      properties: {
        traitType: {
          ...LONGEST,
          minLength: 1,
          description: 'Name of the trait',
          example: 'Seat',
        },
        value: {
          type: ['string', 'number', 'boolean'],
          maxLength: METADATA_BYTES,
          description: 'Text, number or boolean; a date is Unix time in seconds',
          example: 12,
        },
        displayType: {
          ...LONGEST,
          description: 'How marketplaces show the value. Filled in if the schema has one for the trait',
          example: 'number',
        },
      },
    },
  },
  schemaVersion: {
    type: 'string',
    enum: [...SCHEMA_VERSIONS],
    description: 'Default: the newest version for utility.type',
  },
} as const;

/**
 * The body of POST /metadata. Any JSON value is accepted here: the JSON Schema of the version validates it, so that all
 * issues are reported at once in the form of metadata errors. This schema only documents the API.
 */
export const metadataInput = z.unknown().meta({
  id: 'CreateMetadata',
  type: 'object',
  required: ['chainId', 'name', 'imageUrl', 'utility'],
  additionalProperties: false,
  properties: {
    chainId: {
      type: 'string',
      pattern: '^[1-9]\\d{0,15}$',
      description: 'The intended chain',
      example: DEFAULT_CHAIN.id,
    },
    contractAddress: { ...LONGEST, description: 'Ignored: filled in when a mint is confirmed', example: '' },
    tokenId: { ...LONGEST, description: 'Ignored: filled in when a mint is confirmed', example: '' },
    ...CONTENT_PROPERTIES,
    utility: { description: 'What the token is for', oneOf: UTILITY_TYPES.map(utilityOf) },
  },
});

/** The issue of a status that the account's rules do not have. */
export const UNLISTED_STATUS = {
  path: '$.utility.data.status',
  message: "must be one of the statuses in the account's rules for the type: see GET /metadata/status-rules",
  code: 'not_allowed',
} as const;

/**
 * Validates and stores a metadata document, not yet linked to a token.
 * @param input Any JSON value; the schemas define valid metadata.
 * @throws {DomainError} `invalid`, "Metadata validation failed", with every issue, or if the account's rules do not
 *   have its status; `forbidden` when the key is not for the chain.
 */
export async function createMetadata(
  { db, chains, clock, log, newId, isRetry }: TenantServices,
  input: unknown,
): Promise<Metadata> {
  const id = newId();
  // An earlier attempt of the same request has stored it, and the rules may have changed since.
  const [earlier] = isRetry ? await findMetadata(db, id) : [];
  if (earlier !== undefined) return earlier;

  const assessment = assessInput(input, [...chains.keys()]);
  const { schemaVersion, type } = assessment;
  const issues = assessment.valid ? [] : assessment.issues;
  log.info('metadata.validated', { schemaVersion, type, issues: issues.length });
  if (!assessment.valid) throw invalidMetadata(issues);

  requireAllowedChain(chains, assessment.chainId);
  const [stored] = await insertMetadata(db, [newMetadata(db, assessment, id, new Date(clock.now()))]);
  if (stored !== undefined) return stored;
  const issue: MetadataIssue = { ...UNLISTED_STATUS, schemaVersion, type };
  throw invalidMetadata([issue]);
}

/** A document as it is stored, before it is linked to a token. */
export function newMetadata(
  db: TenantDb,
  { chainId, schemaVersion, type, document }: Extract<Assessment, { readonly valid: true }>,
  id: string,
  now: Date,
): Metadata {
  return {
    id,
    corporateAccountId: db.accountId,
    chainId,
    contractAddress: null,
    tokenId: null,
    schemaVersion,
    standardFields: document,
    currentStatus: statusOf(document),
    metadataHash: type === 'Certificate' ? certificateHash(document) : null,
    linkedAt: null,
    version: 1,
    frozenAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
