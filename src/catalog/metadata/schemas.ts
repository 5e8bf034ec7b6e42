import certificate from '../../../schemas/cert_schema@1.0.0.json';
import coupon from '../../../schemas/coupon_schema@1.0.0.json';
import flexible from '../../../schemas/opensea_flexible@1.0.0.json';
import ticket from '../../../schemas/ticket_schema@1.0.0.json';

export const UTILITY_TYPES = ['Ticket', 'Coupon', 'Certificate', 'Flexible'] as const;
export type UtilityType = (typeof UTILITY_TYPES)[number];

/** Every published schema version and its utility type. A schema is changed by adding a version here. */
const SCHEMAS = {
  'opensea_flexible@1.0.0': { type: 'Flexible', schema: flexible },
  'ticket_schema@1.0.0': { type: 'Ticket', schema: ticket },
  'coupon_schema@1.0.0': { type: 'Coupon', schema: coupon },
  'cert_schema@1.0.0': { type: 'Certificate', schema: certificate },
} as const satisfies Record<string, { type: UtilityType; schema: object }>;

export type SchemaVersion = keyof typeof SCHEMAS;

/** The version used when a request names none. */
export const DEFAULT_SCHEMA_VERSION = {
  Flexible: 'opensea_flexible@1.0.0',
  Ticket: 'ticket_schema@1.0.0',
  Coupon: 'coupon_schema@1.0.0',
  Certificate: 'cert_schema@1.0.0',
} as const satisfies Record<UtilityType, SchemaVersion>;

/** The rules common to all types, and the only ones that apply when the type is unknown. */
export const BASE_SCHEMA_VERSION: SchemaVersion = DEFAULT_SCHEMA_VERSION.Flexible;

export const SCHEMA_VERSIONS: readonly SchemaVersion[] = Object.keys(SCHEMAS).filter(isSchemaVersion);

export function isUtilityType(value: unknown): value is UtilityType {
  return UTILITY_TYPES.some((type) => type === value);
}

export function isSchemaVersion(value: unknown): value is SchemaVersion {
  return typeof value === 'string' && Object.hasOwn(SCHEMAS, value);
}

/** The JSON Schema (2020-12) of a version. */
export function schemaOf(version: SchemaVersion): object {
  return SCHEMAS[version].schema;
}

/** The utility type that a version is for. */
export function typeOf(version: SchemaVersion): UtilityType {
  return SCHEMAS[version].type;
}

/** The versions of a type, or all versions if the type is unknown. */
export function versionsOf(type: UtilityType | undefined): SchemaVersion[] {
  return SCHEMA_VERSIONS.filter((version) => type === undefined || SCHEMAS[version].type === type);
}
