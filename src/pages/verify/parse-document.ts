import { CannotTell } from '../shared/visitors/cannot-tell.ts';

/** The strings and numbers of a JSON text. */
const VALUES = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses a document that has only one reading, as canonical form requires (RFC 8785, section 3.1: I-JSON). Of a name
 * that an object has twice, and of a number with more digits than a browser keeps, others may show what the hash does
 * not cover.
 * @throws {CannotTell} for any other text.
 */
export function parseDocument(text: string): unknown {
  const document = parse(text);
  const written = text.match(VALUES) ?? [];
  const inexact = written.find(
    (value) => !value.startsWith('"') && decimalOf(value) !== decimalOf(String(Number(value))),
  );
  if (inexact !== undefined) {
    throw new CannotTell(({ reasons }) => reasons.inexact(inexact.slice(0, 40)));
  }
  // A browser drops all but the last member of a name, and with each at least the name.
  if (written.length !== (JSON.stringify(document).match(VALUES) ?? []).length) {
    throw new CannotTell(({ reasons }) => reasons.duplicate);
  }
  return document;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new CannotTell(({ reasons }) => reasons.notJson);
  }
}

/** A number in the one form that all its spellings share: its digits and the place of the last. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
