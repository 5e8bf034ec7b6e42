import { asc, eq } from 'drizzle-orm';
import type { Condition, Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { attempts, transactions } from '../../platform/database/schema.ts';
import type { AttemptRow } from '../job.ts';

/** The statement that reads the attempts of transactions, earliest first. @param condition Which: a condition on `transactions`. */
export function selectAttempts(db: SystemDb | TenantDb, condition: Condition): Rows<{ readonly attempt: AttemptRow }> {
  return db.sql
    .select({ attempt: attempts })
    .from(attempts)
    .innerJoin(transactions, eq(transactions.id, attempts.transactionId))
    .where(condition)
    .orderBy(asc(attempts.number));
}
