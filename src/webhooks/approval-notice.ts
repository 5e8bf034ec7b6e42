import { APPROVAL_ACTIONS } from '../core/approval-action.ts';
import type { ApprovalAction } from '../core/approval-action.ts';
import { newId } from '../core/ids.ts';
import { payloadOf } from './event.ts';
import type { NoticeDraft } from './notices.ts';

/** An approval that is asked for. */
export interface AwaitedApproval {
  readonly approvalId: string;
  readonly action: ApprovalAction;
  readonly chainId: string | null;
  readonly requestedBy: string | null;
  readonly expiresAt: Date;
}

const TYPE = 'approval.requested';

/** The id, the type and the body of the notice that an approval is asked for, for the statement that stores the approval. */
export function approvalNotice({ action, expiresAt, ...rest }: AwaitedApproval, at: Date) {
  const data: Extract<NoticeDraft, { readonly type: typeof TYPE }>['data'] = {
    ...rest,
    action: APPROVAL_ACTIONS[action],
    expiresAt: expiresAt.toISOString(),
  };
  return { id: newId(at.getTime()), type: TYPE, payload: payloadOf({ type: TYPE, at, data }) };
}
