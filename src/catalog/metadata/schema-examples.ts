import type { SchemaVersion } from './schemas.ts';

const trait = (name: string, value: string | number, display?: string) => ({
  trait_type: name,
  value,
  ...(display === undefined ? {} : { display_type: display }),
});

/** A public document that is valid by each published schema. Times are Unix seconds. */
export const SCHEMA_EXAMPLES = {
  'opensea_flexible@1.0.0': {
    name: 'Opening night, poster',
    description: 'A poster of the opening night.',
    image: 'https://example.com/poster.png',
    attributes: [trait('Artist', 'A. Maker'), trait('Status', 'Unused')],
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  },
  'ticket_schema@1.0.0': {
    name: 'Opening night, seat 12',
    image: 'https://example.com/ticket.png',
    attributes: [
      trait('Event Name', 'Opening night'),
      trait('Event Date', 1_793_646_000, 'date'),
      trait('Venue', 'Town hall'),
      trait('Zone', 'A'),
      trait('Seat', 12, 'number'),
      trait('Transferable', 'Yes'),
      trait('Status', 'Unused'),
    ],
    utility: {
      type: 'Ticket',
      data: {
        ticket_id: 'T-0001',
        event: { name: 'Opening night', date: 1_793_646_000 },
        seat: { zone: 'A' },
        status: 'Unused',
      },
    },
  },
  'coupon_schema@1.0.0': {
    name: 'One coffee',
    image: 'https://example.com/coupon.png',
    attributes: [
      trait('Brand', 'Bean'),
      trait('Product', 'Coffee'),
      trait('Price', 4.5, 'number'),
      trait('Expires At', 1_793_646_000, 'date'),
      trait('Status', 'Active'),
    ],
    utility: {
      type: 'Coupon',
      data: { token_id: 'C-0001', brand: 'Bean', expired_at: 1_793_646_000, status: 'Active' },
    },
  },
  'cert_schema@1.0.0': {
    name: 'Watch 1 of 10',
    image: 'https://example.com/watch.png',
    attributes: [
      trait('Type', 'Authenticity'),
      trait('Serial Number', 'SN-0001'),
      trait('Style Name', 'Diver'),
      trait('Issuer (Mint by)', 'Horologe'),
      trait('Creator', 'A. Maker'),
      trait('Issue Date', 1_767_225_600, 'date'),
      trait('Transferability', 'Non-Transferable (SBT)'),
    ],
    utility: { type: 'Certificate', data: { valid_until: 1_924_905_600 } },
  },
} as const satisfies Record<SchemaVersion, object>;
