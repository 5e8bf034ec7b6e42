/** The most characters shown of one text. */
const MAX_TEXT = 2_000;
const DATE_KEY = /(?:date|_at|until)$/i;
/** 1 January 1900 to 31 December 9999, in seconds. */
const [FIRST_SECOND, LAST_SECOND] = [-2_208_988_800, 253_402_300_799];

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Whether a JSON value is an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON value as text. */
export function textOf(value: unknown, isDate = false): string {
  if (value === null || value === undefined) return 'none';
  if (isDate && typeof value === 'number' && isInstant(value)) return dateText(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Whether a key usually has a date, in seconds since 1970. */
export function isDateKey(key: string): boolean {
  return DATE_KEY.test(key);
}

/** When a certificate expires by its own document; undefined if it does not say. */
export function expiryOf(document: unknown): { readonly text: string; readonly isPast: boolean } | undefined {
  const utility = isRecord(document) ? document['utility'] : undefined;
  const data = isRecord(utility) ? utility['data'] : undefined;
  const until = isRecord(data) ? data['valid_until'] : undefined;
  const seconds = typeof until === 'string' ? Date.parse(until) / 1_000 : until;
  if (typeof seconds !== 'number' || !isInstant(seconds)) return undefined;
  return { text: dateText(seconds), isPast: seconds * 1_000 < Date.now() };
}

function isInstant(seconds: number): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}

function dateText(seconds: number): string {
  return dateFormat.format(new Date(seconds * 1_000));
}
