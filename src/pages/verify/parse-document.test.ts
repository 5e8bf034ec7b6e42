import { expect, it } from 'vitest';
import { parseDocument } from './parse-document.ts';

it.each([
  '{"a":1,"b":{"a":[1.50,-0,0.0,1e3,1E-7,10e20,123456789.25]}}',
  '{ "a" : "\\"a\\": 12345678901234567890" , "\\\\" : "1" }',
  '"text"',
  'null',
  '9007199254740991',
  '0.1',
])('reads %s as JSON.parse does', (text) => {
  expect(parseDocument(text)).toEqual(JSON.parse(text));
});

it.each(['{"a":"forged","a":"real"}', '[{"b":{"a":1,"a":1}}]', '{"a":{"x":1},"\\u0061":{}}'])(
  'refuses %s, of which others may show the first',
  (text) => {
    expect(() => parseDocument(text)).toThrow('twice');
  },
);

it.each(['9007199254740993', '{"a":1.00000000000000001}', '[0.1000000000000000055511151231257827]', '1e-400', '1e400'])(
  'refuses %s, which a browser reads as another number',
  (text) => {
    expect(() => parseDocument(text)).toThrow('exactly');
  },
);

it('reads the longest text that is fetched', () => {
  for (const text of [`"${'a'.repeat(1_000_000)}"`, `"${'\\n'.repeat(500_000)}"`, `[${'1,'.repeat(400_000)}1]`]) {
    expect(parseDocument(text)).toEqual(JSON.parse(text));
  }
});

it('refuses what is not JSON', () => {
  expect(() => parseDocument('{')).toThrow('not JSON');
});
