const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const coins = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const time = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The browser's time zone, which all times are in. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const formatCount = (value: number): string => count.format(value);

/** Coins, to four digits: `1.234 AVAX`. */
export const formatCoins = (value: string | number, coin = ''): string =>
  `${coins.format(Number(value))} ${coin}`.trim();

/** `21 Nov, 14:03:07.120`. */
export const formatTime = (instant: string): string => time.format(new Date(instant));

/** With its time zone: `21 Nov 2026, 14:03:07 GMT+1`. */
export const formatMoment = (instant: string): string => moment.format(new Date(instant));

/** As a field of a form has it, in the browser's time zone: `2026-11-21T14:03`. */
export function formatLocal(instant: string): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** `14:00`. */
export const formatHour = (instant: string): string => clock.format(new Date(instant));

/** A time span in its largest unit: `3 min`. */
export function formatSpan(seconds: number): string {
  if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1_000))} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** How long ago something was. */
export const formatAge = (instant: string): string => formatSpan((Date.now() - Date.parse(instant)) / 1_000);

/** The beginning and the end of a hash or an address. */
export const shortHex = (value: string): string =>
  value.length > 15 ? `${value.slice(0, 8)}…${value.slice(-6)}` : value;

/** `NOT_NOW` -> `not now`. */
export const words = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
