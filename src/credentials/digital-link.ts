import { isGtin } from './gtin.ts';

/** An item of a product, or a product. */
export interface Identified {
  /** Valid, in any of its lengths. */
  readonly gtin: string;
  /** Undefined: the product as a whole. */
  readonly serial: string | undefined;
}

/** A value of a key qualifier: up to 20 characters that GS1 allows. */
export const QUALIFIER = /^[!%-?A-Z_a-z"]{1,20}$/;

/** The key qualifiers of a GTIN in their order: consumer product variant, batch or lot, serial number. */
const QUALIFIERS = ['22', '10', '21'];

/**
 * Reads the path of a GS1 Digital Link (URI Syntax 1.4, section 4): a GTIN and its key qualifiers. No certificate names a
 * variant or a lot, so that these are not looked at.
 * @param path Such as `/01/09506000134352/10/LOT/21/SN`, with or without a slash at its end.
 * @returns undefined if it is none.
 */
export function parseDigitalLink(path: string): Identified | undefined {
  let parts: string[];
  try {
    parts = path.replace(/\/$/, '').split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const [key, gtin = '', ...rest] = parts;
  if (key !== '01' || !isGtin(gtin) || rest.length % 2 !== 0) return undefined;
  const keys = rest.filter((_, index) => index % 2 === 0);
  const values = rest.filter((_, index) => index % 2 === 1);
  const isOrdered = keys.every((one, index) => QUALIFIERS.indexOf(one) > QUALIFIERS.indexOf(keys[index - 1] ?? ''));
  if (!isOrdered || !values.every((value) => QUALIFIER.test(value))) return undefined;
  return { gtin, serial: values[keys.indexOf('21')] };
}
