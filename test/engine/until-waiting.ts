import { expect } from 'vitest';
import type { World } from './lane-world.ts';

/**
 * Resolves when a statement in a world's database waits for a lock of this type. Those of other files, which run beside
 * it on the same server, do not count.
 */
export async function untilWaiting({ pool }: World, type: 'advisory' | 'transactionid'): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect
    .poll(async () => (await pool.query(`${waiting} and wait_event = $1`, [type])).rowCount, { interval: 20 })
    .toBeGreaterThan(0);
}
