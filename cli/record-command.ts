import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { newId } from '../src/core/record-id.ts';

/** A change that an operator's command has made. */
export interface Command {
  /** What the command did. */
  readonly name:
    | 'account'
    | 'create-key'
    | 'revoke-key'
    | 'rotate-webhook-secret'
    | 'relayer-wallet'
    | 'kms-key'
    | 'move-wallet'
    | 'confirm-issuer'
    | 'withdraw-issuer'
    | 'erase-holder'
    | 'rebuild-index'
    | 'import-archive';
  /** The account; null: the change is not of one account. */
  readonly corporateId: string | null;
  /** Its input; only the hash of it, as JSON, is stored. */
  readonly input?: unknown;
  /** The records that were created or changed. */
  readonly resourceIds: readonly string[];
}

/** Adds the row of a command to the audit log, in the transaction of its change. */
export async function recordCommand(client: Client, { name, corporateId, input, resourceIds }: Command): Promise<void> {
  const hash = input === undefined ? null : hashOfInput(input);
  await client.query(
    `INSERT INTO audit_log (id, corporate_account_id, actor, method, route, resource_ids, body_hash, created_at)
     VALUES ($1, (SELECT id FROM corporate_accounts WHERE corporate_id = $5), 'command', 'COMMAND', $2, $3, $4, now())`,
    [newId(), name, resourceIds, hash, corporateId],
  );
}

/** What the audit log has of a command's input. */
export function hashOfInput(input: unknown): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}
