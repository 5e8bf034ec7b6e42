import type { RecordedSecret, RecordedText } from './run-record.ts';

/** A secret in a text. The secret itself is not shown. */
interface Finding {
  readonly what: string;
  readonly form: string;
  readonly place: string;
  /** From 1. */
  readonly line: number;
}

/** The length of the beginnings by which forms are looked up. */
const INDEX_LENGTH = 8;
const HEX = /^(?:0x)?([0-9a-f]{32,})$/i;
const WEBHOOK_PREFIX = 'whsec_';

/** The texts in which a secret can appear, in lower case, by what they are. */
export function formsOf(secret: string): ReadonlyMap<string, string> {
  const plain = secret.startsWith(WEBHOOK_PREFIX) ? secret.slice(WEBHOOK_PREFIX.length) : secret.replace(/^0x/, '');
  const forms: [string, string][] = [
    ['as it is', plain],
    ['URL-encoded', encodeURIComponent(plain)],
    ['JSON', JSON.stringify(plain).slice(1, -1)],
    ...encodings('', Buffer.from(plain)),
    ...encodings('whole ', Buffer.from(secret)),
  ];
  const hex = HEX.exec(secret)?.[1];
  if (hex !== undefined) {
    forms.push(...encodings('bytes in ', Buffer.from(hex, 'hex')), ['decimal', BigInt(`0x${hex}`).toString()]);
  }
  if (secret.startsWith(WEBHOOK_PREFIX)) forms.push(...encodings('bytes in ', Buffer.from(plain, 'base64')));
  const long = forms.filter(([, form]) => form.length >= INDEX_LENGTH);
  // Of two names of the same form, the first stays.
  return new Map(long.toReversed().map(([name, form]) => [form.toLowerCase(), name]));
}

function encodings(prefix: string, bytes: Buffer): [string, string][] {
  const inBase64 = [0, 1, 2].map((offset): [string, string] => [`${prefix}base64`, base64Within(bytes, offset)]);
  return [
    [`${prefix}hex`, bytes.toString('hex')],
    ...inBase64,
    ...inBase64.map(([name, form]): [string, string] => [`${name}url`, form.replaceAll('+', '-').replaceAll('/', '_')]),
  ];
}

/** The characters that the bytes have in the base64 of any text in which they start at `offset`, modulo 3. */
function base64Within(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const isWhole = (offset + bytes.length) % 3 === 0;
  return encoded.slice(Math.ceil((offset * 8) / 6), isWhole ? undefined : -1);
}

interface Form {
  readonly text: string;
  readonly name: string;
  readonly what: string;
}

/**
 * @returns where the texts have a secret in one of its forms, in upper or lower case: each kind of secret once for each
 * place.
 */
export function findSecrets(secrets: readonly RecordedSecret[], texts: Iterable<RecordedText>): Finding[] {
  const forms = new Map<string, Form[]>();
  const unique = new Map(secrets.map(({ what, secret }) => [secret, what]));
  for (const [secret, what] of unique) {
    for (const [text, name] of formsOf(secret)) {
      const start = text.slice(0, INDEX_LENGTH);
      forms.set(start, [...(forms.get(start) ?? []), { text, name, what }]);
    }
  }
  const filter = new Uint8Array(1 << 16);
  for (const start of forms.keys()) filter[slotOf(start, 0)] = 1;
  const found = new Map<string, Finding>();
  for (const { place, text } of texts) {
    const lower = text.toLowerCase();
    for (const { at, name, what } of occurrences(lower, forms, filter)) {
      const line = lower.slice(0, at).split('\n').length;
      const key = `${what} ${name} ${place}`;
      if (!found.has(key)) found.set(key, { what, form: name, place, line });
    }
  }
  return [...found.values()];
}

/** A hash of the four characters at a position. */
const slotOf = (text: string, at: number) =>
  ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2) * 7 + text.charCodeAt(at + 3)) &
  0xff_ff;

function* occurrences(text: string, forms: ReadonlyMap<string, readonly Form[]>, filter: Uint8Array) {
  for (let at = 0; at + INDEX_LENGTH <= text.length; at += 1) {
    if (filter[slotOf(text, at)] !== 1) continue;
    for (const form of forms.get(text.slice(at, at + INDEX_LENGTH)) ?? []) {
      if (text.startsWith(form.text, at)) yield { at, ...form };
    }
  }
}
