import { sha256, stringToHex } from 'viem';
import type { Clock } from './clock.ts';
import type { EpochMs } from './epoch-ms.ts';

/** The form of a record id: 24 lower-case hex characters. */
export const RECORD_ID = /^[0-9a-f]{24}$/;

/** The lowest id of a given time: a record has this id or a higher one if it was created then or later. */
export function idAt(time: EpochMs): string {
  return timePart(time) + '0'.repeat(12);
}

/** The first half of an id: the time in milliseconds, as 12 hex digits. */
export function timePart(time: EpochMs): string {
  return Math.max(0, time).toString(16).padStart(12, '0');
}

/** When an id was created. */
export function timeOf(id: string): EpochMs {
  return Number.parseInt(id.slice(0, 12), 16);
}

/**
 * Makes a record id: 48 bits of time in milliseconds, then 48 random bits, as 24 hex characters.
 * Ids sort by creation time, so an index on the id is also an index on age.
 */
export function newId(now: EpochMs = Date.now()): string {
  const random = crypto.getRandomValues(new Uint8Array(6));
  const tail = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return timePart(now) + tail;
}

/**
 * Makes ids that are the same for the same seed and time: 48 bits of time, then 48 derived from the seed and a counter.
 * They tell nothing about the seed.
 */
export function derivedIds(seed: string, time: EpochMs): () => string {
  let count = 0;
  return () => {
    count += 1;
    return timePart(time) + sha256(stringToHex(`${seed}:${count}`)).slice(2, 14);
  };
}

/** The id of a record that is made now, and the time: not after the id, by which lists are filtered by time. */
export function newRecord({ clock, newId: makeId }: { readonly clock: Clock; readonly newId: () => string }) {
  const now = new Date(clock.now());
  return { id: makeId(), now };
}
