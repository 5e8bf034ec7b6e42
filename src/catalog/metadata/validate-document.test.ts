import { describe, expect, it } from 'vitest';
import {
  certificateInput,
  changed as changedCopy,
  couponInput,
  flexibleInput,
  ticketInput,
  type Loose,
} from '../../../test/fixtures/metadata-inputs.ts';
import { toDocument } from './document.ts';
import type { SchemaVersion } from './schemas.ts';
import { validateDocument } from './validate-document.ts';

type Json = Record<string, unknown>;
type Trait = { trait_type: string; value: unknown; display_type?: unknown };

const documents = {
  'opensea_flexible@1.0.0': toDocument(flexibleInput, 'opensea_flexible@1.0.0'),
  'ticket_schema@1.0.0': toDocument(ticketInput, 'ticket_schema@1.0.0'),
  'coupon_schema@1.0.0': toDocument(couponInput, 'coupon_schema@1.0.0'),
  'cert_schema@1.0.0': toDocument(certificateInput, 'cert_schema@1.0.0'),
} as const satisfies Record<SchemaVersion, Json>;
const versions = Object.keys(documents) as SchemaVersion[];

/** A copy of the valid document of a version, with a change. */
function changed(version: SchemaVersion, change: (document: Loose) => void): Json {
  return changedCopy<Json>(documents[version], change);
}

function withTrait(version: SchemaVersion, name: string, change: (trait: Trait) => void): Json {
  return changed(version, ({ attributes }: { attributes: Trait[] }) => {
    const trait = attributes.find(({ trait_type }) => trait_type === name);
    if (trait === undefined) throw new Error(`No trait ${name}`);
    change(trait);
  });
}

function indexOfTrait(version: SchemaVersion, name: string): number {
  return (documents[version]['attributes'] as Trait[]).findIndex(({ trait_type }) => trait_type === name);
}

const issuesOf = (document: unknown, version: SchemaVersion) =>
  validateDocument(document, version).map(({ path, message }) => `${path} ${message}`);

/** The specification's table: each required trait with its value type and display type. */
const TRAITS: [SchemaVersion, string, string, ('date' | 'number' | undefined)?][] = [
  ['ticket_schema@1.0.0', 'Event Name', 'a string'],
  ['ticket_schema@1.0.0', 'Event Date', 'a number (Unix time in seconds)', 'date'],
  ['ticket_schema@1.0.0', 'Venue', 'a string'],
  ['ticket_schema@1.0.0', 'Zone', 'a string'],
  ['ticket_schema@1.0.0', 'Seat', 'a number', 'number'],
  ['ticket_schema@1.0.0', 'Status', 'a string (a copy of utility.data.status)'],
  ['ticket_schema@1.0.0', 'Transferable', 'a string'],
  ['coupon_schema@1.0.0', 'Brand', 'a string'],
  ['coupon_schema@1.0.0', 'Product', 'a string'],
  ['coupon_schema@1.0.0', 'Price', 'a number', 'number'],
  ['coupon_schema@1.0.0', 'Expires At', 'a number (Unix time in seconds)', 'date'],
  ['coupon_schema@1.0.0', 'Status', 'a string (a copy of utility.data.status)'],
  ['cert_schema@1.0.0', 'Type', 'a string'],
  ['cert_schema@1.0.0', 'Serial Number', 'a string'],
  ['cert_schema@1.0.0', 'Style Name', 'a string'],
  ['cert_schema@1.0.0', 'Issuer (Mint by)', 'a string'],
  ['cert_schema@1.0.0', 'Creator', 'a string'],
  ['cert_schema@1.0.0', 'Issue Date', 'a string or a number (a text, or Unix time in seconds)'],
  ['cert_schema@1.0.0', 'Transferability', '"Non-Transferable (SBT)"'],
];

/** Keys of utility.data by path, each with an invalid value. */
const DATA: [SchemaVersion, string[], unknown][] = [
  ['ticket_schema@1.0.0', ['ticket_id'], null],
  ['ticket_schema@1.0.0', ['event'], 'concert'],
  ['ticket_schema@1.0.0', ['event', 'name'], 1],
  ['ticket_schema@1.0.0', ['event', 'date'], '2030-01-01'],
  ['ticket_schema@1.0.0', ['seat'], []],
  ['ticket_schema@1.0.0', ['seat', 'zone'], true],
  ['ticket_schema@1.0.0', ['status'], ''],
  ['coupon_schema@1.0.0', ['token_id'], {}],
  ['coupon_schema@1.0.0', ['brand'], 7],
  ['coupon_schema@1.0.0', ['expired_at'], '2030-01-01'],
  ['coupon_schema@1.0.0', ['status'], 5],
  ['cert_schema@1.0.0', ['valid_until'], true],
];

describe('valid documents', () => {
  it.each(versions)('%s: required fields only', (version) => {
    expect(issuesOf(documents[version], version)).toEqual([]);
  });

  it.each(versions)('%s: all optional fields, and the issuer’s own traits and data', (version) => {
    const document = changed(version, (copy) => {
      copy.description = '';
      copy.external_url = 'https://example.com/';
      copy.utility.validation_url = 'https://example.com/check?id=1';
      copy.utility.data.more = { nested: [1, null, { deep: true }] };
      copy.attributes.push(
        { trait_type: 'Colour', value: 'red' },
        { trait_type: 'Level', value: 3, display_type: 'x' },
      );
      copy.attributes.push({ trait_type: 'Member', value: true });
      copy.anything_else = 1;
    });
    expect(issuesOf(document, version)).toEqual([]);
  });

  it.each([
    ['free-form metadata without traits', 'opensea_flexible@1.0.0', (copy: Loose): unknown => delete copy.attributes],
    ['an image on IPFS', 'opensea_flexible@1.0.0', (copy: Loose): unknown => (copy.image = 'ipfs://bafy/1.png')],
    ['an image on Arweave', 'opensea_flexible@1.0.0', (copy: Loose): unknown => (copy.image = 'ar://tx/1.png')],
    [
      'an image under a Korean name',
      'ticket_schema@1.0.0',
      (copy: Loose): unknown => (copy.image = 'https://예.kr/가.png'),
    ],
    [
      'a ticket id that is a number',
      'ticket_schema@1.0.0',
      (copy: Loose): unknown => (copy.utility.data.ticket_id = 1),
    ],
    [
      'a certificate without an end',
      'cert_schema@1.0.0',
      (copy: Loose): unknown => (copy.utility.data.valid_until = null),
    ],
    [
      'a status of 64 emoji',
      'coupon_schema@1.0.0',
      (copy: Loose): unknown => (copy.utility.data.status = '🎟'.repeat(64)),
    ],
  ] as const)('%s', (_, version, change) => {
    expect(issuesOf(changed(version, change), version)).toEqual([]);
  });

  it.each([
    [1_767_225_600, 'date'],
    [1_767_225_600, 'text'],
    ['1 January 2026', 'text'],
    ['2026-01-01', 'date'],
    ['2026-01-01', undefined],
  ])('a certificate issued on %j, display type %j', (value, display) => {
    const document = withTrait('cert_schema@1.0.0', 'Issue Date', (trait) => {
      trait.value = value;
      if (display === undefined) delete trait.display_type;
      else trait.display_type = display;
    });
    expect(issuesOf(document, 'cert_schema@1.0.0')).toEqual([]);
  });

  it('a repeated trait', () => {
    const document = changed('ticket_schema@1.0.0', ({ attributes }) => attributes.push({ ...attributes[0] }));
    expect(issuesOf(document, 'ticket_schema@1.0.0')).toEqual([]);
  });
});

describe('each issue is reported once, with its path and what was expected', () => {
  it.each(TRAITS)('%s: the trait "%s" is missing', (version, name, expected, display) => {
    const document = changed(version, (copy) => {
      copy.attributes = copy.attributes.filter((trait: Trait) => trait.trait_type !== name);
    });
    const shown = name === 'Issue Date' ? '"date" or "text"' : display === undefined ? '' : `"${display}"`;
    expect(issuesOf(document, version)).toEqual([
      `$.attributes missing required trait "${name}": ${expected}${shown === '' ? '' : `, display type ${shown}`}`,
    ]);
  });

  it.each(TRAITS)('%s: the trait "%s" has a value of a wrong type', (version, name, expected) => {
    for (const value of [null, true, [], expected.startsWith('a string') ? { text: 'x' } : 'tomorrow']) {
      const document = withTrait(version, name, (trait) => (trait.value = value));
      expect(issuesOf(document, version)).toEqual([
        `$.attributes[${indexOfTrait(version, name)}].value value of the trait "${name}" must be ${expected}`,
      ]);
    }
  });

  it.each(TRAITS.filter(([, , , display]) => display !== undefined))(
    '%s: the trait "%s" has a wrong display type',
    (version, name, _, display) => {
      for (const wrong of ['boost', 5]) {
        const document = withTrait(version, name, (trait) => (trait.display_type = wrong));
        expect(issuesOf(document, version)).toEqual([
          `$.attributes[${indexOfTrait(version, name)}].display_type display_type of the trait "${name}" must be "${display}"`,
        ]);
      }
    },
  );

  /** Objects in utility.data, with the keys that the specification requires in them. */
  const REQUIRED_WITHIN: Record<string, string[]> = { event: ['.name', '.date'], seat: ['.zone'] };

  it.each(DATA)('%s: utility.data %j is missing, or is %j', (version, keys, wrong) => {
    const path = `$.utility.data.${keys.join('.')}`;
    const within = (copy: Loose): Loose => keys.slice(0, -1).reduce((node, key) => node[key], copy.utility.data);
    const last = keys.at(-1) ?? '';
    const missing = issuesOf(
      changed(version, (copy) => delete within(copy)[last]),
      version,
    );
    const required = REQUIRED_WITHIN[last] ?? [''];
    expect(missing).toEqual(
      required.map((inner) =>
        expect.stringMatching(new RegExp(`^\\${path}${inner} missing required key "${last}${inner}": \\w`)),
      ),
    );
    const [mistyped, ...others] = issuesOf(
      changed(version, (copy) => (within(copy)[last] = wrong)),
      version,
    );
    expect(mistyped).toMatch(new RegExp(`^\\${path} must be \\w`));
    expect(others).toEqual([]);
  });

  it.each(versions)('%s: the fields common to all types', (version) => {
    const one = (change: (copy: Loose) => void) => {
      const issues = issuesOf(changed(version, change), version);
      return issues.length === 1 ? issues[0] : issues;
    };
    expect(one((copy) => delete copy.name)).toMatch(/^\$\.name missing required key "name": a string of 1 or more/);
    expect(one((copy) => (copy.name = ''))).toMatch(/^\$\.name must be a string of 1 or more characters/);
    expect(one((copy) => (copy.name = 5))).toMatch(/^\$\.name must be a string/);
    expect(one((copy) => (copy.description = null))).toMatch(/^\$\.description must be a string/);
    expect(one((copy) => delete copy.image)).toMatch(/^\$\.image missing required key "image": a URI/);
    expect(one((copy) => (copy.image = 'a picture'))).toMatch(/^\$\.image must be a URL/);
    expect(one((copy) => (copy.image = '/a.png'))).toMatch(/^\$\.image must be a URL/);
    expect(one((copy) => (copy.image = 'javascript:alert(1)'))).toMatch(/^\$\.image must be a URL/);
    expect(one((copy) => (copy.image = 'data:image/gif;base64,R0lGOD='))).toMatch(/^\$\.image must be a URL/);
    expect(one((copy) => (copy.image = 'https://a.test/\0'))).toMatch(/^\$\.image must not contain/);
    expect(one((copy) => (copy.external_url = 'ipfs://bafy/1'))).toMatch(/^\$\.external_url must be a URL/);
    expect(one((copy) => (copy.image = ['https://example.com/a.png']))).toMatch(/^\$\.image must be a URI/);
    expect(one((copy) => (copy.external_url = 'no'))).toMatch(/^\$\.external_url must be a URL/);
    expect(one((copy) => (copy.attributes = {}))).toMatch(/^\$\.attributes must be an array/);
    expect(one((copy) => (copy.attributes = null))).toMatch(/^\$\.attributes must be an array/);
    expect(one((copy) => copy.attributes.unshift('red'))).toBe('$.attributes[0] must be an object (a trait)');
    expect(one((copy) => copy.attributes.unshift({ value: 1 }))).toMatch(
      /^\$\.attributes\[0\]\.trait_type missing required key "trait_type"/,
    );
    expect(one((copy) => copy.attributes.unshift({ trait_type: '', value: 1 }))).toMatch(
      /^\$\.attributes\[0\]\.trait_type must be a string of 1 or more/,
    );
    expect(one((copy) => copy.attributes.unshift({ trait_type: 'X' }))).toMatch(
      /^\$\.attributes\[0\]\.value missing required key "value"/,
    );
    expect(one((copy) => copy.attributes.unshift({ trait_type: 'X', value: null }))).toBe(
      '$.attributes[0].value value of the trait "X" must be a string or a number or a boolean',
    );
    expect(one((copy) => copy.attributes.unshift({ trait_type: 'X', value: 1, display_type: 1 }))).toMatch(
      /^\$\.attributes\[0\]\.display_type display_type of the trait "X" must be a string/,
    );
    expect(one((copy) => delete copy.utility)).toMatch(/^\$\.utility missing required key "utility": an object/);
    expect(one((copy) => (copy.utility = 'x'))).toMatch(/^\$\.utility must be an object/);
    expect(one((copy) => delete copy.utility.type)).toMatch(/^\$\.utility\.type missing required key "type": "/);
    expect(one((copy) => (copy.utility.type = 'Voucher'))).toMatch(/^\$\.utility\.type must be "/);
    expect(one((copy) => delete copy.utility.data)).toMatch(
      /^\$\.utility\.data missing required key "data": an object/,
    );
    expect(one((copy) => (copy.utility.data = [1]))).toMatch(/^\$\.utility\.data must be an object/);
    expect(one((copy) => (copy.utility.validation_url = 'x'))).toMatch(/^\$\.utility\.validation_url must be a URL/);
  });

  it.each(['opensea_flexible@1.0.0', 'ticket_schema@1.0.0', 'coupon_schema@1.0.0'] as const)(
    '%s: a status of 65 characters',
    (version) => {
      const document = changed(version, (copy) => (copy.utility.data.status = 'x'.repeat(65)));
      expect(issuesOf(document, version)).toEqual([
        '$.utility.data.status must be a string of 1 to 64 characters (copied by the trait "Status")',
      ]);
    },
  );

  it.each(versions.filter((version) => version !== 'opensea_flexible@1.0.0'))('%s: no traits at all', (version) => {
    expect(
      issuesOf(
        changed(version, (copy) => delete copy.attributes),
        version,
      ),
    ).toEqual([expect.stringMatching(/^\$\.attributes missing required key "attributes": an array/)]);
  });

  it.each([[null], [[]], ['text'], [5], [true]])('a document that is %j', (document) => {
    for (const version of versions) expect(issuesOf(document, version)).toHaveLength(1);
  });
});

it('names the applied version and the type in each issue', () => {
  const document = changed('ticket_schema@1.0.0', (copy) => {
    delete copy.name;
    copy.attributes = [];
  });
  const issues = validateDocument(document, 'ticket_schema@1.0.0');
  expect(issues).toHaveLength(8);
  for (const issue of issues) expect(issue).toMatchObject({ schemaVersion: 'ticket_schema@1.0.0', type: 'Ticket' });
});

it('accepts 1000 traits, and reports more as one issue besides those of the other fields', () => {
  for (const version of versions) {
    const more = (count: number) =>
      changed(version, (copy) => {
        while (copy.attributes.length < count) copy.attributes.push({ trait_type: 'X', value: 1 });
      });
    expect(issuesOf(more(1_000), version)).toEqual([]);
    expect(issuesOf(more(1_001), version)).toHaveLength(1);
    const flood = changed(version, (copy) => {
      copy.attributes = Array.from({ length: 170_000 }, () => ({}));
      delete copy.name;
    });
    expect(issuesOf(flood, version).map((issue) => issue.slice(0, 40))).toEqual([
      '$.name missing required key "name": a st',
      '$.attributes must be an array of at most',
    ]);
  }
});
