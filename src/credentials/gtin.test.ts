import { expect, it } from 'vitest';
import { gtinForms, isGtin } from './gtin.ts';

it.each(['96385074', '036000291452', '9506000134352', '09506000134352', '19506000134359'])(
  'a GTIN has a check digit: %s',
  (gtin) => {
    expect(isGtin(gtin)).toBe(true);
    const last = Number(gtin.at(-1));
    for (let digit = 0; digit < 10; digit += 1) {
      expect(isGtin(`${gtin.slice(0, -1)}${digit}`)).toBe(digit === last);
    }
  },
);

it.each(['', '0', '950600013435', '009506000134352', '9506000134352 ', '950600013435a', '\u0669506000134352'])(
  'no GTIN: %j',
  (text) => {
    expect(isGtin(text)).toBe(false);
  },
);

it('is the same number in every length that holds it', () => {
  const forms = ['00000096385074', '0000096385074', '000096385074', '96385074'];
  for (const form of forms) expect(gtinForms(form)).toEqual(forms);
  expect(gtinForms('9506000134352')).toEqual(['09506000134352', '9506000134352']);
  expect(gtinForms('19506000134359')).toEqual(['19506000134359']);
});
