/** The lengths of a GTIN. */
const LENGTHS = [8, 12, 13, 14];

/** Whether a text is a GTIN-8, -12, -13 or -14 with the right check digit (GS1 General Specifications, section 7.9). */
export function isGtin(text: string): boolean {
  if (!/^\d+$/.test(text) || !LENGTHS.includes(text.length)) return false;
  const weighted = Array.from(text.padStart(14, '0'), (digit, index) => Number(digit) * (index % 2 === 0 ? 3 : 1));
  return weighted.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}

/** A GTIN in each length that it has without leading zeros, the longest first: 14 digits. */
export function gtinForms(gtin: string): string[] {
  const digits = gtin.padStart(14, '0');
  return LENGTHS.toReversed().flatMap((length) => {
    const zeros = digits.slice(0, 14 - length);
    return /^0*$/.test(zeros) ? [digits.slice(14 - length)] : [];
  });
}
