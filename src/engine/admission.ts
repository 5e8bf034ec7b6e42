import type { Fragment, Statement, SystemDb } from '../platform/database/client.ts';
import type { Job } from './job.ts';
import type { ReachedLimit, Standing } from './standing.ts';

/** What decides which orders may be sent, besides the chain and the wallet: the limits of their accounts. */
export interface Admission {
  /**
   * An expression of each claim, which reads where accounts stand; null: nowhere.
   * @param accountIds A statement that reads their ids.
   */
  standings(chainId: string, accountIds: Fragment, now: Date): Fragment;
  /** @param reading The value of that expression. @returns where accounts stand, by id; one that is missing has no limits. */
  read(chainId: string, reading: unknown): ReadonlyMap<string, Standing>;
  /**
   * The statements of a batch that stores first attempts, one before and one after all others. The second aborts the
   * batch if it exceeds a limit that another one has used meanwhile.
   */
  guard(
    db: SystemDb,
    chainId: string,
    accountIds: readonly string[],
    now: Date,
  ): { readonly lock: Statement; readonly check: Statement };
  /** Whether a batch was aborted by that. */
  isExceeded(error: unknown): boolean;
  /** The statements that tell accounts of the limits that hold orders, before these are locked; {@link Hooks}. */
  held(
    db: SystemDb,
    holds: readonly { readonly job: Pick<Job, 'transaction'>; readonly reached?: ReachedLimit }[],
    now: Date,
  ): readonly Statement[];
}
