import { databaseState, type DatabaseState } from '../database-state.ts';
import { databaseName } from '../database-name.ts';
import { type Finding, missing, reasonOf } from './finding.ts';

const MIGRATE = "DATABASE_URL=<the owner's> DATABASE_WORKER_ROLE=<the Worker's role> npm run nft -- migrate";
const RESTORE = 'restore them from the version that applied them, and write another migration';

export interface CheckedDatabase {
  readonly findings: readonly Finding[];
  /** Undefined if it cannot be read. */
  readonly state: DatabaseState | undefined;
}

/** Checks with the Worker's own role that the database answers and has this version's tables. */
export async function checkDatabase(databaseUrl: string): Promise<CheckedDatabase> {
  const name = databaseName(databaseUrl);
  try {
    const state = await databaseState(databaseUrl);
    const { pendingMigrations: pending, editedMigrations: edited, isAhead, mayChangeAuditLog } = state;
    const findings = [
      ...(pending.length === 0 ? [] : [missing(`${name} lacks migrations: ${pending.join(', ')}`, MIGRATE)]),
      ...(edited.length === 0 ? [] : [missing(`${edited.join(', ')} changed after being applied to ${name}`, RESTORE)]),
      ...(isAhead
        ? [missing(`${name} has migrations that this version does not have`, 'git checkout <that version>')]
        : []),
      ...(mayChangeAuditLog ? [missing("The Worker's role can change the audit log", MIGRATE)] : []),
    ];
    return { findings, state };
  } catch (error) {
    const reason = reasonOf(error);
    const command = reason.includes('permission denied') ? MIGRATE : 'correct DATABASE_URL';
    return { findings: [missing(`${name} cannot be read: ${reason}`, command)], state: undefined };
  }
}
