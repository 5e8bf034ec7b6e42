import { describe, expect, it } from 'vitest';
import {
  certificateInput,
  changed,
  couponInput,
  flexibleInput,
  ticketInput,
} from '../../../test/fixtures/metadata-inputs.ts';
import { assessInput } from './assess-input.ts';

const chainIds = ['43114', '43113'];
const assess = (input: unknown) => assessInput(input, chainIds);
const issuesOf = (input: unknown) => {
  const assessment = assess(input);
  return assessment.valid ? [] : assessment.issues;
};
const linesOf = (input: unknown) => issuesOf(input).map(({ path, message }) => `${path} ${message}`);
/** The document of a valid input. */
const documentOf = (input: unknown) => {
  const assessment = assess(input);
  if (!assessment.valid) throw new Error(JSON.stringify(assessment.issues));
  return assessment.document;
};

const statusTraits = (input: unknown) =>
  documentOf(input).attributes.flatMap((trait, index) =>
    trait.trait_type === 'Status' ? [{ index, value: trait.value }] : [],
  );
const displayed = (input: unknown) =>
  Object.fromEntries(documentOf(input).attributes.map(({ trait_type, display_type }) => [trait_type, display_type]));

/** Free-form metadata with nested lists in `utility.data.deep`. */
const nestedInput = (depth: number) => ({
  ...flexibleInput,
  utility: { type: 'Flexible', data: { deep: JSON.parse('['.repeat(depth) + ']'.repeat(depth)) } },
});

describe('one ticket with eight issues', () => {
  const bad = changed(ticketInput, (copy) => {
    delete copy.imageUrl;
    copy.externalUrl = 'not a url';
    copy.attributes = copy.attributes.filter(({ traitType }: { traitType: string }) => traitType !== 'Venue');
    copy.attributes[1].value = 'tomorrow';
    copy.attributes[3].displayType = 'boost_number';
    delete copy.utility.data.event.name;
    copy.utility.data.seat = 'A';
    delete copy.utility.data.status;
  });

  it('has eight errors, each with its path and what was expected', () => {
    expect(linesOf(bad).toSorted()).toEqual([
      '$.attributes missing required trait "Venue": a string',
      '$.attributes[1].value value of the trait "Event Date" must be a number (Unix time in seconds)',
      '$.attributes[3].display_type display_type of the trait "Seat" must be "number"; "displayType" in a request',
      '$.external_url must be a URL that begins with http:// or https:// and a host; "externalUrl" in a request',
      '$.image missing required key "image": a URI (where the picture of the token is); "imageUrl" in a request',
      '$.utility.data.event.name missing required key "name": a string of 1 or more characters (the name of the event)',
      '$.utility.data.seat must be an object',
      '$.utility.data.status missing required key "status": a string of 1 to 64 characters (copied by the trait "Status")',
    ]);
  });

  it('names the applied version and the type in each', () => {
    for (const issue of issuesOf(bad)) {
      expect(Object.keys(issue).toSorted()).toEqual(['code', 'message', 'path', 'schemaVersion', 'type']);
      expect(issue).toMatchObject({ schemaVersion: 'ticket_schema@1.0.0', type: 'Ticket' });
    }
  });
});

describe('the schema', () => {
  it.each([
    [flexibleInput, 'opensea_flexible@1.0.0'],
    [ticketInput, 'ticket_schema@1.0.0'],
    [couponInput, 'coupon_schema@1.0.0'],
    [certificateInput, 'cert_schema@1.0.0'],
  ])('is that of the type: $utility.type', (input, version) => {
    expect(assess(input)).toMatchObject({ valid: true, schemaVersion: version, type: input.utility.type });
    expect(assess({ ...input, schemaVersion: version })).toMatchObject({ valid: true, schemaVersion: version });
  });

  it.each([['coupon_schema@1.0.0'], ['ticket_schema@9.0.0'], ['ticket_schema'], [1], [null], ['']])(
    'is not %j for a ticket',
    (schemaVersion) => {
      expect(issuesOf({ ...ticketInput, schemaVersion })).toEqual([
        {
          path: '$.schemaVersion',
          code: 'not_allowed',
          message: 'must be "ticket_schema@1.0.0" for the type Ticket',
          schemaVersion: 'ticket_schema@1.0.0',
          type: 'Ticket',
        },
      ]);
    },
  );

  it('is the base schema when the type is missing or unknown, and all of its issues are reported', () => {
    const expected = '"Ticket" or "Coupon" or "Certificate" or "Flexible" (what kind of token it is)';
    expect(linesOf(changed(flexibleInput, (copy) => delete copy.utility.type))).toEqual([
      `$.utility.type missing required key "type": ${expected}`,
    ]);
    for (const type of ['Voucher', 'ticket', '', 5, null, {}, ['Ticket']]) {
      const issues = issuesOf({ ...flexibleInput, name: 5, utility: { type, data: {} } });
      expect(issues.map(({ path, message }) => `${path} ${message}`)).toEqual([
        '$.name must be a string of 1 or more characters (the name of the token)',
        `$.utility.type must be ${expected}`,
      ]);
      for (const issue of issues) {
        expect(issue).toMatchObject({
          schemaVersion: 'opensea_flexible@1.0.0',
          type: typeof type === 'string' ? type : null,
        });
      }
    }
  });

  it('is reported once when neither the type nor the version is known', () => {
    expect(linesOf({ ...flexibleInput, utility: { type: 'X', data: {} }, schemaVersion: 'x@1.0.0' })).toEqual([
      expect.stringMatching(/^\$\.utility\.type must be /),
      expect.stringMatching(/^\$\.schemaVersion must be "opensea_flexible@1\.0\.0" or "ticket_schema@1\.0\.0" or /),
    ]);
  });

  it('truncates an unknown type', () => {
    const [issue] = issuesOf({ ...flexibleInput, utility: { type: 'x'.repeat(100_000), data: {} } });
    expect(issue?.type).toHaveLength(64);
  });
});

describe('bodies that are not metadata', () => {
  it.each([[null], [[]], [[ticketInput]], ['text'], [5], [true]])('%j has one issue', (body) => {
    expect(issuesOf(body)).toEqual([
      {
        path: '$',
        code: 'wrong_type',
        message: 'must be an object',
        schemaVersion: 'opensea_flexible@1.0.0',
        type: null,
      },
    ]);
  });

  it('an empty object lacks every required key', () => {
    expect(linesOf({}).map((line) => line.split(':')[0])).toEqual([
      '$.name missing required key "name"',
      '$.image missing required key "image"',
      '$.utility missing required key "utility"',
      '$.chainId missing required key "chainId"',
    ]);
  });

  it.each([[undefined], ['1'], [43_114], [null]])('the chain %j is not allowed', (chainId) => {
    expect(linesOf({ ...flexibleInput, chainId })).toEqual([expect.stringMatching(/^\$\.chainId .*"43114", "43113"$/)]);
  });

  it('an unknown key that is nearly a known one names that', () => {
    const input = changed(flexibleInput, (copy) => {
      Object.assign(copy, { imageurl: 'x', descripton: 'x', attributes: [{ traittype: 'A', value: 1 }] });
      Object.assign(copy.utility, { validationurl: 'x' });
    });
    expect(linesOf(input).filter((line) => line.includes('unknown'))).toEqual([
      '$.imageurl unknown key: use "imageUrl" in a request',
      '$.descripton unknown key: use "description" in a request',
      '$.attributes[0].traittype unknown key: use "traitType" in a request',
      '$.utility.validationurl unknown key: use "validationUrl" in a request',
    ]);
  });

  it('unknown keys have one issue each, except in utility.data, which keeps them', () => {
    const input = changed(flexibleInput, (copy) => {
      Object.assign(copy, { extra: '\0', image: 'x', 'two words': 1, _id: 'x', standardFields: { name: 1 } });
      copy.attributes = [{ traitType: 'A', value: 1, trait_type: 'B', max: 9 }];
      Object.assign(copy.utility, { other: 1, data: { own: { a: 1 } } });
    });
    expect(linesOf(input)).toEqual([
      '$.extra unknown key',
      '$.image unknown key: use "imageUrl" in a request',
      '$["two words"] unknown key',
      '$._id unknown key',
      '$.standardFields unknown key',
      '$.attributes[0].trait_type unknown key: use "traitType" in a request',
      '$.attributes[0].max unknown key',
      '$.utility.other unknown key',
    ]);
    const kept = changed(flexibleInput, (copy) => (copy.utility.data = { own: { a: 1 } }));
    expect(documentOf(kept).utility.data).toEqual({ own: { a: 1 } });
  });

  it('a required key under its public name has one issue, which says what to call it', () => {
    const { imageUrl, ...others } = flexibleInput;
    expect(linesOf({ ...others, image: imageUrl, attributes: [{ trait_type: 'A', value: 1 }] })).toEqual([
      '$.image unknown key: use "imageUrl" in a request',
      '$.attributes[0].trait_type unknown key: use "traitType" in a request',
    ]);
  });

  it('names of prototype members are not mistaken for the caller’s keys', () => {
    const input: unknown = JSON.parse(
      '{"chainId":"43114","__proto__":{"name":"x","imageUrl":"https://a.example/","utility":{"type":"Flexible","data":{}}}}',
    );
    expect(linesOf(input).map((line) => line.split(':')[0])).toEqual([
      '$.name missing required key "name"',
      '$.image missing required key "image"',
      '$.utility missing required key "utility"',
      '$.__proto__ unknown key',
    ]);
    const nested: unknown = JSON.parse(
      JSON.stringify(flexibleInput).replace('"data":{}', '"data":{"__proto__":{"a":1}}'),
    );
    expect(JSON.stringify(documentOf(nested))).toContain('"data":{"__proto__":{"a":1}}');
  });
});

/** A document with this key, and under it a value that cannot be stored. */
const withKey = (key: string) => ({
  ...flexibleInput,
  utility: { type: 'Flexible', data: { a: { [key]: '\0' } } },
});

it('texts, keys and URLs of any length are kept', () => {
  const long = '🎟'.repeat(20_000);
  const input = changed(flexibleInput, (copy) => {
    Object.assign(copy, { name: long, description: long, imageUrl: `https://example.com/${long}` });
    Object.assign(copy, { externalUrl: copy.imageUrl, animationUrl: copy.imageUrl });
    copy.attributes = [{ traitType: long, value: long, displayType: long }];
    copy.utility = { type: 'Flexible', validationUrl: copy.imageUrl, data: { [long]: { [long]: long } } };
  });
  expect(linesOf(input)).toEqual([]);
});

describe('values that cannot be stored and served unchanged', () => {
  it.each([
    ['\0', 'must not contain the character U+0000'],
    ['\ud800', 'must be valid Unicode: it has a lone surrogate'],
    ['\udc00\ud800', 'must be valid Unicode: it has a lone surrogate'],
  ])('the text %j, as a value, in a list and as a key', (text, reason) => {
    const input = changed(flexibleInput, (copy) => {
      copy.name = `a${text}`;
      copy.attributes = [{ traitType: 'A', value: text }];
      copy.utility.data = { list: [[text]], [text]: 1 };
    });
    expect(linesOf(input)).toEqual([
      `$.name ${reason}`,
      `$.attributes[0].value ${reason}`,
      `$.utility.data has a key that ${reason}`,
      `$.utility.data.list[0][0] ${reason}`,
    ]);
  });

  it('a number that is too large', () => {
    const input: unknown = JSON.parse(JSON.stringify(flexibleInput).replace('"data":{}', '"data":{"n":1e999}'));
    expect(linesOf(input)).toEqual(['$.utility.data.n must be a number that fits into a 64-bit float']);
  });

  it('nesting beyond 64 levels, at any depth', () => {
    // The document, utility and data are levels too; the innermost list is empty.
    expect(issuesOf(nestedInput(62))).toEqual([]);
    expect(linesOf(nestedInput(63))).toEqual([
      expect.stringMatching(/^\$\.utility\.data\.deep\[0\].* nested deeper than 64 levels$/),
    ]);
    expect(linesOf(nestedInput(250_000))).toHaveLength(1);
  });

  it('a value whose path is longer than 2,048 characters, which has the path of a container', () => {
    expect(linesOf(withKey('k'.repeat(2_000)))).toEqual([
      expect.stringMatching(/k must not contain the character U\+0000$/),
    ]);
    const inside = 'has a value inside that must not contain the character U+0000';
    expect(linesOf(withKey('k'.repeat(100_000)))).toEqual([`$.utility.data.a ${inside}`]);
    const nested = Array.from({ length: 40 }).reduce<unknown>((inner) => ({ ['k'.repeat(200)]: inner }), ['\0']);
    const issues = issuesOf({ ...flexibleInput, utility: { type: 'Flexible', data: { nested } } });
    expect(issues).toEqual([expect.objectContaining({ message: inside })]);
    expect(issues[0]?.path.length).toBeLessThanOrEqual(2_048);
    expect(linesOf({ ...flexibleInput, ['k'.repeat(257)]: 1 })).toEqual(['$ unknown key of 257 characters']);
  });

  it.each([
    ['40,000 unknown keys', () => Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`key${i}`, 1])), 40_000],
    [
      '10,000 issues nested 60 levels deep under long keys',
      () => {
        const bottom: unknown = Array.from({ length: 10_000 }, () => '\0');
        const data = Array.from({ length: 60 }).reduce((inner) => ({ ['k'.repeat(30)]: inner }), bottom);
        return { utility: { type: 'Flexible', data } };
      },
      10_000,
    ],
  ])('%s: as many as fit in a reply, and how many are left out', (_, fields, count) => {
    const issues = issuesOf({ ...flexibleInput, ...fields() });
    expect(issues.length).toBeLessThanOrEqual(1_000);
    expect(JSON.stringify(issues).length).toBeLessThan(513 * 1_024);
    expect(issues.at(-1)).toMatchObject({ path: '$', message: `issues not listed: ${count - issues.length + 1}` });
  });

  it('a value with two kinds of issues has one error per path', () => {
    const input = changed(ticketInput, (copy) => (copy.utility.data.status = '\0'.repeat(65)));
    expect(linesOf(input).map((line) => line.split(' ')[0])).toEqual([
      '$.utility.data.status',
      '$.attributes[6].value',
    ]);
  });
});

describe('the Status trait', () => {
  it('is added at the end, with the status', () => {
    expect(statusTraits(ticketInput)).toEqual([{ index: 6, value: 'Unused' }]);
  });

  it('replaces those the caller sends, at the position of the first', () => {
    const input = changed(ticketInput, (copy) => {
      copy.attributes.splice(2, 0, { traitType: 'Status', value: 'Redeemed', displayType: 'x' });
      copy.attributes.push({ traitType: 'Status', value: 5 }, { traitType: 'Status' });
    });
    expect(statusTraits(input)).toEqual([{ index: 2, value: 'Unused' }]);
  });

  it('is in free-form metadata only if it has a status', () => {
    const attributes = [{ traitType: 'Status', value: 'mine' }];
    expect(statusTraits({ ...flexibleInput, attributes })).toEqual([]);
    const utility = { type: 'Flexible', data: { status: 'Active' } };
    expect(statusTraits({ ...flexibleInput, attributes, utility })).toEqual([{ index: 0, value: 'Active' }]);
  });

  it('is not in a certificate, which never changes: one in the request is an issue', () => {
    expect(statusTraits(changed(certificateInput, (copy) => (copy.utility.data.status = 'Active')))).toEqual([]);
    const input = changed(certificateInput, (copy) =>
      copy.attributes.unshift({ traitType: 'Status', value: 'Active' }),
    );
    expect(linesOf(input)).toEqual(['$.attributes[0] must not be a Status trait: a certificate never changes']);
  });

  it.each([[5], [null], [''], [{}]])('causes no second issue when the status is %j', (status) => {
    expect(linesOf(changed(couponInput, (copy) => (copy.utility.data.status = status)))).toEqual([
      expect.stringMatching(/^\$\.utility\.data\.status must be a string of 1 to 64 characters/),
    ]);
  });

  it('causes no second issue when there is no data', () => {
    expect(linesOf(changed(couponInput, (copy) => delete copy.utility.data))).toEqual([
      expect.stringMatching(/^\$\.utility\.data missing required key "data"/),
    ]);
  });
});

describe('display types', () => {
  it('are filled in from the schema', () => {
    expect(displayed(ticketInput)).toMatchObject({ 'Event Date': 'date', Seat: 'number', Venue: undefined });
    expect(displayed(couponInput)).toMatchObject({ Price: 'number', 'Expires At': 'date' });
    expect(displayed(certificateInput)).toMatchObject({ 'Issue Date': 'date', Type: undefined });
    const written = changed(certificateInput, (copy) => (copy.attributes[5].value = '1 January 2026'));
    expect(displayed(written)).toMatchObject({ 'Issue Date': 'text' });
  });

  it('of the caller are kept', () => {
    const input = changed(certificateInput, (copy) => {
      copy.attributes[5].displayType = 'text';
      copy.attributes[0].displayType = 'badge';
    });
    expect(displayed(input)).toMatchObject({ 'Issue Date': 'text', Type: 'badge' });
  });
});

describe('optional display fields', () => {
  const shown = { animationUrl: 'https://example.com/a.mp4', backgroundColor: '00fFaA' };

  it('are in the document under its names, only if they were given', () => {
    expect(documentOf({ ...flexibleInput, ...shown })).toEqual({
      ...documentOf(flexibleInput),
      animation_url: shown.animationUrl,
      background_color: shown.backgroundColor,
    });
    expect(Object.keys(documentOf(flexibleInput))).toEqual(['name', 'image', 'attributes', 'utility']);
  });

  it.each([
    ['animationUrl', 'animation_url', ['javascript:alert(1)', 'a.mp4', '', 5, null]],
    ['backgroundColor', 'background_color', ['#00ffaa', '0fa', '00ffag', '00ffaa0', '', 255, null]],
  ])('are rejected when %s is malformed', (key, path, values) => {
    for (const value of values) {
      expect(linesOf({ ...flexibleInput, [key]: value })).toEqual([
        expect.stringMatching(new RegExp(`^\\$\\.${path} .*; "${key}" in a request$`)),
      ]);
    }
  });
});

describe('a metadata hash', () => {
  it.each([certificateInput, flexibleInput])('is never accepted from the caller', (input) => {
    for (const metadataHash of [`0x${'0'.repeat(64)}`, '', null]) {
      expect(linesOf({ ...input, metadataHash })).toEqual(['$.metadataHash must not be given: the server computes it']);
    }
  });
});

describe('certificates', () => {
  it('reject numbers that languages write differently, other types accept them', () => {
    const input = changed(certificateInput, (copy) => (copy.utility.data.weight = 1e-7));
    expect(linesOf(input)).toEqual([
      expect.stringMatching(/^\$\.utility\.data\.weight is a number that not every language writes the same way/),
    ]);
    expect(issuesOf(changed(couponInput, (copy) => (copy.utility.data.weight = 1e-7)))).toEqual([]);
  });
});
