import { describe, expect, it } from 'vitest';
import { assessInput } from '../catalog/metadata/assess-input.ts';
import { SCHEMA_EXAMPLES, SCHEMA_VERSIONS, type SchemaVersion } from '../catalog/metadata/schemas.ts';
import { toDocument } from '../catalog/metadata/document.ts';
import type { ImportKind } from '../platform/database/vocabulary/import.ts';
import { columnsOf } from './columns.ts';
import { csvRows } from './file-rows.ts';
import { csvInput, lineInput } from './row-input.ts';
import { templateOf } from './template.ts';

const inputOf = (kind: ImportKind, header: readonly string[], cells: readonly string[]) =>
  csvInput(columnsOf(kind, header), { row: 2, cells });
const DOCUMENT = ['name', 'imageUrl', 'utility.type'];
const documentWith = (cells: Readonly<Record<string, string>>, type = 'Flexible') =>
  inputOf(
    'metadata',
    [...DOCUMENT, ...Object.keys(cells)],
    ['A', 'https://a.example/a.png', type, ...Object.values(cells)],
  );

const refusalOf = (kind: ImportKind, header: readonly string[]) => {
  try {
    columnsOf(kind, header);
    return undefined;
  } catch (error) {
    return (error as { readonly issues: unknown }).issues;
  }
};

describe('the columns of a file', () => {
  it('are those of its kind, with traits and data of any name', () => {
    const header = [
      ...DOCUMENT,
      ' description ',
      'attributes.Event Date',
      'attributes.a.b',
      'utility.data.seat.zone:number',
    ];
    expect(columnsOf('metadata', header).map(({ at, isNumber }) => [at, isNumber])).toEqual([
      [{ path: ['name'] }, false],
      [{ path: ['imageUrl'] }, false],
      [{ path: ['utility', 'type'] }, false],
      [{ path: ['description'] }, false],
      [{ trait: 'Event Date' }, false],
      [{ trait: 'a.b' }, false],
      [{ path: ['utility', 'data', 'seat', 'zone'] }, true],
    ]);
  });

  it('have no name that cannot be stored', () => {
    expect(refusalOf('metadata', [...DOCUMENT, 'attributes.a\0', 'utility.data.b\0'])).toEqual(
      ['attributes.a\0', 'utility.data.b\0'].map((path) => ({
        path,
        message: 'must not contain the character U+0000',
      })),
    );
  });

  it('are all named that are missing, unknown or given twice', () => {
    expect(refusalOf('mints', ['tokenid', 'receiverAddress', 'chainId', 'receiverAddress', ''])).toEqual([
      { path: 'tokenId', message: 'must be one of the columns', code: 'required' },
      { path: 'metadataId', message: 'must be one of the columns', code: 'required' },
      { path: 'tokenid', message: 'Unknown column tokenid; did you mean tokenId?', code: 'unknown_field' },
      { path: 'chainId', message: 'Unknown column chainId', code: 'unknown_field' },
      { path: 'receiverAddress', message: 'can only be given once', code: 'not_allowed' },
      { path: '', message: 'A column has no name', code: 'unknown_field' },
    ]);
  });

  it.each([
    ['utility.data.event', 'utility.data.event.name'],
    ['utility.data.event.name', 'utility.data.event'],
    ['attributes.Level', 'attributes.Level:number'],
  ])('are not two for one value: %s and %s', (one, other) => {
    expect(refusalOf('metadata', [...DOCUMENT, one, other])).toEqual([
      { path: other, message: 'can only be given once', code: 'not_allowed' },
    ]);
  });

  it.each([
    'utility.data.__proto__.x',
    'utility.data.',
    'utility.data.a..b',
    'attributes.',
    'utility.other',
    '__proto__',
  ])('are no others: %s', (name) => {
    expect(refusalOf('metadata', [...DOCUMENT, name])).toMatchObject([{ path: name, code: 'unknown_field' }]);
  });
});

describe('a row of CSV', () => {
  it('has numbers where the column says so or the schema allows no text, and texts elsewhere', () => {
    const cells = {
      'attributes.Event Date': '1793646000',
      'attributes.Zone': '7',
      'attributes.Seat': '012',
      'attributes.Level:number': '2.5',
      'attributes.Row': '3',
      'utility.data.event.date:number': '1793646000',
      'utility.data.ticket_id': '1',
      'utility.data.paid:number': '-4',
      description: '',
    };
    const { input, issues } = documentWith(cells, 'Ticket');
    expect(issues).toEqual([]);
    expect(input).toEqual({
      name: 'A',
      imageUrl: 'https://a.example/a.png',
      attributes: [
        { traitType: 'Event Date', value: 1_793_646_000 },
        { traitType: 'Zone', value: '7' },
        { traitType: 'Seat', value: '012' },
        { traitType: 'Level', value: 2.5 },
        { traitType: 'Row', value: '3' },
      ],
      utility: { type: 'Ticket', data: { event: { date: 1_793_646_000 }, ticket_id: '1', paid: -4 } },
    });
  });

  it.each(['12345678901234567890', '1e3', '1,5', '0x10', ' 1', 'x', '01'])(
    'has no number that would lose what the cell says: %s',
    (cell) => {
      const { issues } = documentWith({ 'attributes.Level:number': cell });
      expect(issues).toEqual([{ path: 'attributes.Level:number', message: 'must be a number', code: 'wrong_type' }]);
    },
  );

  it('has as many cells as the header', () => {
    expect(inputOf('mints', ['receiverAddress', 'tokenId', 'metadataId'], ['a', 'b'])).toMatchObject({
      input: undefined,
      issues: [{ path: '', message: 'has 2 cells, and the header 3' }],
    });
  });

  it('names the column of each issue of its document', () => {
    const { input, columnOf } = documentWith(
      {
        'attributes.Event Date': 'soon',
        'attributes.Seat': '',
        'attributes.Zone': 'A',
        externalUrl: 'none',
        'utility.validationUrl': 'none',
        'utility.data.event.date': 'soon',
        'utility.data.status': '',
      },
      'Ticket',
    );
    const assessment = assessInput({ ...input, chainId: '1' }, ['1']);
    const columns = assessment.valid ? [] : assessment.issues.map(({ path }) => columnOf(path));
    expect(columns.map(String).toSorted()).toEqual(
      [
        'attributes.Event Date',
        ...['Event Name', 'Venue', 'Seat', 'Transferable'].map(() => 'attributes'),
        'externalUrl',
        'utility.validationUrl',
        'utility.data.event.date',
        'utility.data.event.name',
        'utility.data.seat.zone',
        'utility.data.status',
        'utility.data.ticket_id',
      ].toSorted(),
    );
  });
});

describe('a JSON line', () => {
  it('is an object, each of whose members comes once', () => {
    expect(lineInput({ row: 1, cells: ['{"tokenId":"1"}'] })).toMatchObject({ input: { tokenId: '1' }, issues: [] });
    expect(lineInput({ row: 1, cells: ['[1]'] }).issues).toEqual([
      { path: '', message: 'must be a JSON object', code: 'wrong_type' },
    ]);
    expect(lineInput({ row: 1, cells: ['{'] }).issues).toHaveLength(1);
    expect(lineInput({ row: 1, cells: ['{"a":1,"a":2}'] }).issues).toEqual([
      { path: 'a', message: 'can only be given once', code: 'not_allowed' },
    ]);
  });
});

async function readTemplate(kind: ImportKind, schema: SchemaVersion) {
  async function* text() {
    yield templateOf(kind, schema).replace('\uFEFF', '');
  }
  const rows = csvRows(text());
  const [header, row] = [await rows.next(), await rows.next()];
  if (header.done === true || row.done === true) throw new Error('The template has no row');
  return csvInput(columnsOf(kind, header.value.cells), row.value);
}

describe('a template', () => {
  const cases = (['metadata', 'tokens'] as const).flatMap((kind) =>
    SCHEMA_VERSIONS.map((schema) => [kind, schema] as const),
  );

  it.each(cases)(
    'of %s with %s is a file of that kind, whose row makes the example of the schema',
    async (kind, schema) => {
      const { input, issues } = await readTemplate(kind, schema);
      const { tokenId: _, receiverAddress: __, ...document } = input ?? {};
      expect([issues, toDocument(document, schema)]).toEqual([[], SCHEMA_EXAMPLES[schema]]);
    },
  );

  it('of mints is a file of that kind', async () => {
    expect(await readTemplate('mints', 'opensea_flexible@1.0.0')).toMatchObject({
      input: { tokenId: '1' },
      issues: [],
    });
  });
});
