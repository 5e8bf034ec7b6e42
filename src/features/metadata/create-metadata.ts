import { z } from 'zod';
import type { TokenDocument } from '../../db/schema.ts';
import { DomainError } from '../../http/domain-error.ts';
import type { InputFault, MetadataFault } from '../../http/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { certificateHash } from './certificate-hash.ts';
import { isRecord, statusOf, toDocument } from './document.ts';
import { insertMetadata } from './metadata.ts';
import type { Metadata } from './metadata.ts';
import { numberFaults, storageFaults } from './portable-json.ts';
import { DEFAULT_SCHEMA_VERSION, UTILITY_TYPES, isSchemaVersion, isUtilityType, versionsOf } from './schemas.ts';
import type { SchemaVersion, UtilityType } from './schemas.ts';
import { validateDocument } from './validate-document.ts';

const shown = (type: 'string' | 'array' | 'object', description?: string) =>
  z.unknown().meta({ type, ...(description === undefined ? {} : { description }) });

/**
 * A request's metadata. Its values are taken as they come: the JSON Schema of its version says what is wrong with them,
 * all of it at once and in the one form that metadata errors have.
 */
export const metadataInput = z
  .looseObject({
    chainId: shown('string', 'The intended chain'),
    contractAddress: shown('string', 'Ignored: filled in when a mint is confirmed'),
    tokenId: shown('string', 'Ignored: filled in when a mint is confirmed'),
    name: shown('string'),
    description: shown('string'),
    imageUrl: shown('string'),
    externalUrl: shown('string'),
    attributes: shown('array', 'Items: traitType, value, displayType (optional)'),
    utility: shown('object', `type (${UTILITY_TYPES.join(', ')}), data, validationUrl (optional)`),
    schemaVersion: shown('string', 'Default: the newest version for utility.type'),
  })
  .partial()
  .meta({ id: 'CreateMetadata' });

/**
 * Validates and stores a metadata document, not yet bound to a token.
 * @throws {DomainError} `invalid`, "Metadata validation failed", with every fault.
 */
export async function createMetadata(
  { db, chains, clock, log, newId }: TenantServices,
  input: z.output<typeof metadataInput>,
): Promise<Metadata> {
  const { type, version, faults } = schemaFor(input);
  const chainId = input.chainId;
  const chainFault =
    typeof chainId === 'string' && chains.has(chainId)
      ? []
      : [{ path: '$.chainId', message: `must be one of ${[...chains.keys()].join(', ')}` }];
  const storage = storageFaults(input);
  const document = toDocument(input, version);
  const all: MetadataFault[] = [
    ...faults,
    ...[...chainFault, ...storage].map(inContext(version, type)),
    // What cannot be stored may be too deep to walk; without a known type no schema applies.
    ...(storage.length > 0 || type === null ? [] : documentFaults(document, version, type, input)),
  ];
  log.info('metadata.validated', { schemaVersion: version, type, faults: all.length });
  if (all.length > 0 || typeof chainId !== 'string') {
    throw new DomainError('invalid', 'Metadata validation failed', all);
  }

  const now = new Date(clock.now());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- valid by its schema, which says all that the type does
  const valid = document as unknown as TokenDocument;
  return await insertMetadata(db, {
    id: newId(),
    chainId,
    name: valid.name,
    description: valid.description ?? null,
    imageUrl: valid.image,
    externalUrl: valid.external_url ?? null,
    attributes: valid.attributes.map(({ trait_type, value, display_type }) => ({
      traitType: trait_type,
      value,
      ...(display_type === undefined ? {} : { displayType: display_type }),
    })),
    utility: {
      type: valid.utility.type,
      ...(valid.utility.validation_url === undefined ? {} : { validationUrl: valid.utility.validation_url }),
      data: valid.utility.data,
    },
    schemaVersion: version,
    currentStatus: statusOf(valid.utility) ?? null,
    standardFields: valid,
    metadataHash: type === 'Certificate' ? certificateHash(valid) : null,
    createdAt: now,
    updatedAt: now,
  });
}

/** Which schema applies; an unknown type has none of its own, and its fault says so. */
function schemaFor(input: Readonly<Record<string, unknown>>): {
  type: UtilityType | null;
  version: SchemaVersion;
  faults: MetadataFault[];
} {
  const utility = input['utility'];
  const type = isRecord(utility) ? utility['type'] : undefined;
  const named = input['schemaVersion'];
  if (!isUtilityType(type)) {
    const message = `must be one of ${UTILITY_TYPES.join(', ')}`;
    return {
      type: null,
      version: DEFAULT_SCHEMA_VERSION.Flexible,
      faults: [
        {
          path: '$.utility.type',
          message: type === undefined ? `missing required key "type": it ${message}` : message,
          schemaVersion: typeof named === 'string' ? named : null,
          type: typeof type === 'string' ? type : null,
        },
      ],
    };
  }
  const versions = versionsOf(type);
  if (named === undefined) return { type, version: DEFAULT_SCHEMA_VERSION[type], faults: [] };
  if (isSchemaVersion(named) && versions.includes(named)) return { type, version: named, faults: [] };
  return {
    type,
    version: DEFAULT_SCHEMA_VERSION[type],
    faults: [
      {
        path: '$.schemaVersion',
        message: `must be one of ${versions.join(', ')} for the type ${type}`,
        schemaVersion: typeof named === 'string' ? named : null,
        type,
      },
    ],
  };
}

function documentFaults(
  document: unknown,
  version: SchemaVersion,
  type: UtilityType,
  input: Readonly<Record<string, unknown>>,
): MetadataFault[] {
  const own: InputFault[] = type === 'Certificate' ? numberFaults(document) : [];
  if (type === 'Certificate' && input['metadataHash'] !== undefined) {
    own.push({ path: '$.metadataHash', message: 'must not be given: the server computes it' });
  }
  return [...validateDocument(document, version), ...own.map(inContext(version, type))];
}

function inContext(schemaVersion: SchemaVersion, type: UtilityType | null): (fault: InputFault) => MetadataFault {
  return (fault) => ({ ...fault, schemaVersion, type });
}
