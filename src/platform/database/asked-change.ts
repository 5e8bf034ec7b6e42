import type { Statement } from './client.ts';
import type { auditLog } from './schema.ts';

/** A change that was asked for over HTTP, which gets one row in the audit log. */
export interface AskedChange {
  /** What is known of it so far. */
  readonly row: () => AskedRow;
  /** The status of the reply when the change is made. */
  readonly successStatus: number;
  /** Whether its row is stored. */
  isRecorded: boolean;
  /** The statement that claims the Idempotency-Key; undefined without one, and once a change has claimed it. */
  claim?: Statement | undefined;
}

/** Its row, without the result. */
type AskedRow = Omit<typeof auditLog.$inferSelect, 'resourceIds' | 'statusCode' | 'count' | 'firstAt'> & {
  /** The account, by its corporateId, unless `corporateAccountId` has its id. */
  readonly corporateId: string | null;
  /** The record or the chain in the path. */
  readonly resourceId: string | null;
};
