import type { Random } from './world/random.ts';
import type { Service } from './world/faults.ts';
import type { NonceRange, World } from './world/world.ts';

const MINUTE_MS = 60_000;
/** Before the backup: from when on the operator has blocks read first. */
const MARGIN_MS = 10 * MINUTE_MS;
/** For so many minutes the operator waits for what is unsettled. */
const LONG = 16;

/**
 * Has the operator set the database back where it is, once, while the Worker runs; and, when all faults have ended,
 * compare it with the chain until what it lacks is adopted.
 */
export class SetBack {
  readonly #world: World;
  readonly #random: Random;
  readonly #decisions: readonly Set<string>[];
  readonly #useUp: (nonces: NonceRange) => void;
  #isDue = false;
  #isReleased = true;
  #backupAt = 0;

  /**
   * @param decisions What the database was told to do with orders and accounts, and forgets.
   * @param useUp Uses nonces up elsewhere: what is unsettled may offer too little for months.
   */
  constructor(world: World, decisions: readonly Set<string>[], useUp: (nonces: NonceRange) => void) {
    this.#useUp = useUp;
    this.#world = world;
    this.#random = world.random.fork('set back');
    this.#decisions = decisions;
  }

  /** Whether a lane may still stand, or has just been released. */
  get isOpen(): boolean {
    return !this.#isReleased;
  }

  /** @param milliseconds In which period the backup is made. */
  begin(milliseconds: number): void {
    this.#world.scheduler.after(this.#random.fraction() * milliseconds, () => {
      this.#isDue = true;
    });
  }

  /** Makes the backup when orders are about to be signed: most wait for a few milliseconds only. */
  observeCall(service: Service, label: string): void {
    if (!this.#isDue || service !== 'database' || !label.includes('store-attempts')) return;
    const { scheduler, database, trace, faults } = this.#world;
    this.#isDue = false;
    this.#backupAt = scheduler.now();
    trace.add('backup');
    database.backUp();
    scheduler.after(this.#random.span(500, 3 * MINUTE_MS), () => {
      if (faults.healed) return;
      this.#isReleased = false;
      this.#world.setBack(this.#random.chance(0.5));
      for (const each of this.#decisions) each.clear();
    });
  }

  /**
   * Compares until the chain has settled and every nonce is explained, from further back each time; and resumes what the
   * comparison has paused.
   */
  async release(): Promise<void> {
    const { scheduler, database } = this.#world;
    for (let times = 1; !this.#isReleased; times *= 2) {
      await scheduler.sleep(times * MINUTE_MS);
      const paused = database.query('select id from corporate_accounts where paused_at is not null');
      const { adopted, unsettled } = await this.#world.adopt(this.#backupAt - times * MARGIN_MS);
      if (!adopted && times >= LONG) unsettled.forEach(this.#useUp);
      if (!adopted) continue;
      database.query("update corporate_accounts set paused_at = null where id <> all(string_to_array($1, ','))", [
        paused.map(({ id }) => id).join(','),
      ]);
      // A run that has begun before ends.
      await scheduler.sleep(MINUTE_MS);
      this.#isReleased = true;
    }
  }
}
