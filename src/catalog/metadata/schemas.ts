import certificate from '../../../schemas/cert_schema@1.0.0.json' with { type: 'json' };
import coupon from '../../../schemas/coupon_schema@1.0.0.json' with { type: 'json' };
import flexible from '../../../schemas/opensea_flexible@1.0.0.json' with { type: 'json' };
import ticket from '../../../schemas/ticket_schema@1.0.0.json' with { type: 'json' };
import type { TokenDocument } from '../../platform/database/schema.ts';

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

const trait = (name: string, value: string | number, display?: string) => ({
  trait_type: name,
  value,
  ...(display === undefined ? {} : { display_type: display }),
});

/** A public document that is valid by each published schema. Times are Unix seconds. */
export const SCHEMA_EXAMPLES: Readonly<Record<SchemaVersion, TokenDocument>> = {
  'opensea_flexible@1.0.0': {
    name: 'Opening night, poster',
    description: 'A poster of the opening night.',
    image: 'https://example.com/poster.png',
    utility: { type: 'Flexible', data: { status: 'Unused' } },
    attributes: [trait('Artist', 'A. Maker'), trait('Status', 'Unused')],
  },
  'ticket_schema@1.0.0': {
    name: 'Opening night, seat 12',
    image: 'https://example.com/ticket.png',
    utility: {
      type: 'Ticket',
      data: {
        ticket_id: 'T-0001',
        event: { name: 'Opening night', date: 1_793_646_000 },
        seat: { zone: 'A' },
        status: 'Unused',
      },
    },
    attributes: [
      trait('Event Name', 'Opening night'),
      trait('Event Date', 1_793_646_000, 'date'),
      trait('Venue', 'Town hall'),
      trait('Zone', 'A'),
      trait('Seat', 12, 'number'),
      trait('Transferable', 'Yes'),
      trait('Status', 'Unused'),
    ],
  },
  'coupon_schema@1.0.0': {
    name: 'One coffee',
    image: 'https://example.com/coupon.png',
    utility: {
      type: 'Coupon',
      data: { token_id: 'C-0001', brand: 'Bean', expired_at: 1_793_646_000, status: 'Active' },
    },
    attributes: [
      trait('Brand', 'Bean'),
      trait('Product', 'Coffee'),
      trait('Price', 4.5, 'number'),
      trait('Expires At', 1_793_646_000, 'date'),
      trait('Status', 'Active'),
    ],
  },
  'cert_schema@1.0.0': {
    name: 'Watch 1 of 10',
    image: 'https://example.com/watch.png',
    utility: { type: 'Certificate', data: { valid_until: 1_924_905_600 } },
    attributes: [
      trait('Type', 'Authenticity'),
      trait('Serial Number', 'SN-0001'),
      trait('Style Name', 'Diver'),
      trait('Issuer (Mint by)', 'Horologe'),
      trait('Creator', 'A. Maker'),
      trait('Issue Date', 1_767_225_600, 'date'),
      trait('Transferability', 'Non-Transferable (SBT)'),
    ],
  },
};
