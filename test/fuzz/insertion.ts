import * as fc from 'fast-check';

/** An odd character that goes into a text which is valid without it. */
export interface Insertion {
  readonly character: string;
  /** The number of the position, modulo how many there are. */
  readonly position: number;
}

/**
 * Characters, but for NUL and lone surrogates, that stores, URLs, logs, parsers and screens take differently, or not at
 * all.
 */
const ODD_CHARACTERS = [
  '\u2028',
  '\u2029',
  '\u0001',
  '\u0008',
  '\t',
  '\n',
  '\r',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u00ad',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2066',
  '\u0301',
  '\u20dd',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '\ufdd0',
  '\u{e0001}',
  '\u{1f469}',
  '\u0130',
  '\ufb03',
  '%00',
  '%',
  '\\',
  '"',
  "'",
  '#',
  '@',
  '<',
];

export const insertion: fc.Arbitrary<Insertion> = fc.record({
  character: fc.oneof(
    { weight: 2, arbitrary: fc.constant('\u0000') },
    { weight: 1, arbitrary: fc.constantFrom('\ud800', '\udfff') },
    { weight: 3, arbitrary: fc.constantFrom(...ODD_CHARACTERS) },
  ),
  position: fc.nat(),
});

/** @returns the text with the character in it. */
export function withInsertion(text: string, { character, position }: Insertion): string {
  const at = position % (text.length + 1);
  return text.slice(0, at) + character + text.slice(at);
}
