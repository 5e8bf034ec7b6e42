import { expect, it } from 'vitest';
import { parseDigitalLink } from './digital-link.ts';

const GTIN = '09506000134352';

it.each([
  [`/01/${GTIN}`, undefined],
  [`/01/${GTIN}/`, undefined],
  [`/01/${GTIN}/10/LOT`, undefined],
  [`/01/${GTIN}/21/a%2Fb`, 'a/b'],
  [`/01/${GTIN}/22/V/10/L/21/S`, 'S'],
])('%s names a product', (path, serial) => {
  expect(parseDigitalLink(path)).toEqual({ gtin: GTIN, serial });
});

it.each([
  `/01/`,
  `/01/${GTIN}/21`,
  `/01/${GTIN}//`,
  `/01/${GTIN}/21/`,
  `/01/${GTIN}/99/x`,
  `/01/${GTIN}/21/S/10/L`,
  `/01/${GTIN}/10/L/10/L`,
  `/01/${GTIN}/21/${'x'.repeat(21)}`,
  `/01/${GTIN}/21/%ff`,
  `/01/09506000134353`,
  `/00/${GTIN}`,
])('%s is none', (path) => {
  expect(parseDigitalLink(path)).toBeUndefined();
});
