import type { TokenDocument } from '../../platform/database/schema.ts';
import { valueAt } from './json-value.ts';
import type { NewMetadata } from './metadata.store.ts';
import type { SchemaVersion } from './schemas.ts';

/** The columns of `metadata` that hold the content of a valid document. */
export function documentColumns(document: TokenDocument, schemaVersion: SchemaVersion) {
  const { name, description, image, external_url: externalUrl, attributes, utility } = document;
  const status = valueAt(utility, 'data', 'status');
  return {
    name,
    description: description ?? null,
    imageUrl: image,
    externalUrl: externalUrl ?? null,
    attributes: attributes.map(({ trait_type, value, display_type }) => ({
      traitType: trait_type,
      value,
      ...(display_type === undefined ? {} : { displayType: display_type }),
    })),
    utility: {
      type: utility.type,
      ...(utility.validation_url === undefined ? {} : { validationUrl: utility.validation_url }),
      data: utility.data,
    },
    schemaVersion,
    currentStatus: typeof status === 'string' ? status : null,
    standardFields: document,
  } satisfies Partial<NewMetadata>;
}
