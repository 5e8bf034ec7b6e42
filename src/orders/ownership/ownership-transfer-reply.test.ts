import { expect, it } from 'vitest';
import { ownershipTransferReply } from './ownership-transfer-reply.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';

it.each([
  ['PENDING', 'QUEUED'],
  ['PROCESSING', 'PROCESSING'],
  ['SENT', 'SENT'],
  ['CONFIRMED', 'CONFIRMED'],
] as const)('a job that is stored as %s is shown as %s', (status, shown) => {
  const transfer = { status, completedAt: null, createdAt: new Date(0), updatedAt: new Date(0) } as OwnershipTransfer;
  expect(ownershipTransferReply(transfer).status).toBe(shown);
});
