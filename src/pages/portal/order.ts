import { ORDER_KINDS } from '../shared/order-kinds.ts';
import type { Kind } from './kinds.ts';
import type { Hold, Reply } from './replies.ts';

/**
 * How far an order is:
 * - `approval`: a second person must approve it
 * - `accepted`: stored; nothing is signed
 * - `processing`: its transaction is being prepared, signed and sent
 * - `sent`: its transaction is known to a node and not mined yet
 * - `deploying`: any of the three, of a deployment, for which the API has one status
 * - `confirmed`: its effect is on chain
 * - `failed`: its effect is not on chain and never will be
 * - `cancelled`: as `failed`, because somebody asked for it
 */
export type OrderState =
  | 'approval'
  | 'accepted'
  | 'processing'
  | 'sent'
  | 'deploying'
  | 'confirmed'
  | 'failed'
  | 'cancelled';

/** An order of any kind, in the same form. */
export interface Order {
  readonly id: string;
  readonly kind: Kind;
  readonly state: OrderState;
  readonly chainId: string;
  readonly contractAddress: string | null;
  readonly tokenId: string | null;
  readonly txHash: string | null;
  /** What was paid, in coins. */
  readonly fee: string | null;
  readonly errorMessage: string | null;
  readonly hold: Hold | null;
  readonly cancelRequestedAt: string | null;
  readonly completedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly reply: Reply;
}

/** The kind with statuses of its own. */
const DEPLOYMENT = ORDER_KINDS.DeployedContract.name;

const STATES: Readonly<Record<Reply['status'], OrderState>> = {
  WAITING_FOR_APPROVAL: 'approval',
  PENDING: 'accepted',
  QUEUED: 'accepted',
  PROCESSING: 'processing',
  SENT: 'sent',
  DEPLOYING: 'deploying',
  CONFIRMED: 'confirmed',
  ACTIVE: 'confirmed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

/** Brings a reply of the API into the form of all kinds. */
export function orderOf(kind: Kind, reply: Reply): Order {
  const { chainId, contractAddress, hold, cancelRequestedAt, completedAt, createdAt, updatedAt, errorMessage } = reply;
  const state = STATES[reply.status];
  return {
    id: '_id' in reply ? reply._id : 'jobId' in reply ? reply.jobId : reply.id,
    kind,
    // A contract has no status for a deployment that was cancelled.
    state: state === 'failed' && kind.name === DEPLOYMENT && isCancellation(errorMessage) ? 'cancelled' : state,
    chainId,
    contractAddress,
    tokenId: 'tokenId' in reply ? reply.tokenId : null,
    txHash: 'txHash' in reply ? reply.txHash : reply.deployTxHash,
    fee: reply.totalFeeNative,
    errorMessage,
    hold,
    cancelRequestedAt,
    completedAt,
    createdAt,
    updatedAt,
    reply,
  };
}

const isCancellation = (errorMessage: string | null) =>
  /^(?:Cancelled|Not approved: cancelled)/.test(errorMessage ?? '');

/** Whether an order has ended. */
export function hasEnded({ state }: Order): boolean {
  return state === 'confirmed' || state === 'failed' || state === 'cancelled';
}

/** What a state is called. */
export const STATE_NAMES: Readonly<Record<OrderState, string>> = {
  approval: 'waiting for approval',
  accepted: 'accepted',
  processing: 'being signed',
  sent: 'sent',
  deploying: 'being deployed',
  confirmed: 'confirmed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** The API's statuses that a state has in the lists of a kind; none: no order of the kind is in it. */
export function statusOf(state: string, kind: Kind): string | undefined {
  const ofDeployment: Readonly<Record<string, string>> = {
    approval: 'WAITING_FOR_APPROVAL',
    deploying: 'DEPLOYING',
    confirmed: 'ACTIVE',
    failed: 'FAILED',
    cancelled: 'FAILED',
  };
  const ofOthers: Readonly<Record<string, string>> = {
    accepted: 'PENDING',
    processing: 'PROCESSING',
    sent: 'SENT',
    confirmed: 'CONFIRMED',
    failed: 'FAILED',
    cancelled: 'CANCELLED',
  };
  return (kind.name === DEPLOYMENT ? ofDeployment : ofOthers)[state];
}
