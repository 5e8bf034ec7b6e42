import { waitUntil } from 'cloudflare:workers';
import { ExpiringMap } from '../core/bounded-map.ts';
import type { Services } from '../services.ts';
import { noteKeyUse, readKeys, type KeyOwner } from './account-keys.store.ts';
import { createDirectory, type Directory } from '../accounts/directory.ts';

/** How often the last use of a key is written. */
const USE_MS = 60_000;
const CAPACITY = 10_000;

/** Keys of accounts that are not revoked, by their hashes. */
export interface KeyDirectory extends Directory<KeyOwner> {
  /** Records that a key is used now, in the background. A failure is logged. */
  noteUse(keyId: string): void;
}

/** Keys, cached as by {@link createDirectory}. */
export function createKeyDirectory({ db, clock, log }: Pick<Services, 'db' | 'clock' | 'log'>): KeyDirectory {
  const noted = new ExpiringMap<true>(USE_MS, CAPACITY);
  return {
    ...createDirectory((hashes) => readKeys(db, hashes), clock),
    noteUse(keyId) {
      const now = clock.now();
      if (noted.get(keyId, now) === true) return;
      noted.set(keyId, true, now);
      waitUntil(
        noteKeyUse(db, keyId, new Date(now), USE_MS).catch((error: unknown) => {
          noted.delete(keyId);
          log.warn('key.use_not_noted', { keyId, error });
        }),
      );
    },
  };
}
