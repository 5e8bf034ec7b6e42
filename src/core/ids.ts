import { timePart } from './record-id.ts';

/**
 * Makes a record id: 48 bits of time in milliseconds, then 48 random bits, as 24 hex characters.
 * Ids sort by creation time, so an index on the id is also an index on age.
 */
export function newId(now: number = Date.now()): string {
  const random = crypto.getRandomValues(new Uint8Array(6));
  const tail = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return timePart(now) + tail;
}
