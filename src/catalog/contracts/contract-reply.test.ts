import { expect, it } from 'vitest';
import { contractReply, contractReplySchema } from './contract-reply.ts';
import type { Contract } from './contracts.store.ts';

const deploying: Contract = {
  id: 'c'.repeat(24),
  corporateAccountId: 'd'.repeat(24),
  chainId: '43114',
  name: 'Tokens',
  symbol: 'T',
  alias: null,
  ercStandard: '721',
  contractType: 'standard',
  status: 'DEPLOYING',
  currentOwnerAddress: null,
  royaltyReceiver: null,
  royaltyFeeBps: null,
  metadataBaseUri: null,
  trustedForwarder: null,
  transferOwnerAddress: null,
  contractAddress: null,
  deployTxHash: null,
  deployGasUsed: null,
  totalFeeNative: null,
  nativePriceUsd: null,
  totalFeeUsd: null,
  nativePriceKrw: null,
  totalFeeKrw: null,
  errorMessage: null,
  completedAt: null,
  createdAt: new Date(0),
  updatedAt: new Date(1_000),
};

it("a contract's reply has the documented fields and no others, and not the account's internal id", () => {
  const reply = contractReply(deploying, 'acme');
  expect(contractReplySchema.strict().parse(reply)).toEqual(reply);
  expect(reply).toMatchObject({ _id: deploying.id, corporateId: 'acme', completedAt: null });
  expect(JSON.stringify(reply)).not.toContain(deploying.corporateAccountId);
});

it('times are written in UTC with milliseconds', () => {
  const reply = contractReply({ ...deploying, completedAt: new Date(2_000) }, 'acme');
  expect([reply.createdAt, reply.updatedAt, reply.completedAt]).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:01.000Z',
    '1970-01-01T00:00:02.000Z',
  ]);
});
