import { isRecord } from '../is-record.ts';
import { plainText } from '../plain-text.ts';
import { momentText } from '../languages.tsx';
import type { Texts } from './texts.ts';

/** The most characters shown of one text. */
const MAX_TEXT = 2_000;
const DATE_KEY = /(?:date|_at|until)$/i;
/** A day or an instant in ISO 8601. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2}))?$/;
/** 1 January 1900 to 31 December 9999, in seconds. */
const [FIRST_SECOND, LAST_SECOND] = [-2_208_988_800, 253_402_300_799];

/** A JSON value as text. */
export function textOf(value: unknown, texts: Texts, isDate = false): string {
  if (value === null || value === undefined) return texts.none;
  const date = isDate ? dateOf(value) : undefined;
  if (date !== undefined) return dateText(date, texts);
  const text = plainText(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Whether a key usually has a date, in seconds since 1970 or in ISO 8601. */
export function isDateKey(key: string): boolean {
  return DATE_KEY.test(key);
}

/** When a certificate expires by its own document; undefined if it does not say. */
export function expiryOf(document: unknown): Date | undefined {
  const utility = isRecord(document) ? document['utility'] : undefined;
  const data = isRecord(utility) ? utility['data'] : undefined;
  return dateOf(isRecord(data) ? data['valid_until'] : undefined);
}

/** The serial number that a document names; undefined if it names none. */
export function serialOf(document: unknown): unknown {
  const attributes = isRecord(document) ? document['attributes'] : undefined;
  const traits = Array.isArray(attributes) ? attributes.filter(isRecord) : [];
  return traits.find((trait) => trait['trait_type'] === 'Serial Number')?.['value'];
}

/** A day (UTC) as the visitor writes it: every date of the page has this form. */
export function dateText(date: Date, { language }: Texts): string {
  return momentText(date, language, { dateStyle: 'long', timeZone: 'UTC' });
}

function dateOf(value: unknown): Date | undefined {
  const seconds = typeof value === 'string' && ISO_DATE.test(value) ? Date.parse(value) / 1_000 : value;
  if (typeof seconds !== 'number' || !(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) return undefined;
  return new Date(seconds * 1_000);
}
