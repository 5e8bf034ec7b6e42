import { expect, it } from 'vitest';
import { sampleContract } from '../../../test/fixtures/sample-contract.ts';
import { contractReply, contractReplySchema } from './contract-reply.ts';

it("a contract's reply has the documented fields and no others, and not the account's internal id", () => {
  const reply = contractReply(sampleContract, 'acme');
  expect(contractReplySchema.strict().parse(reply)).toEqual(reply);
  expect(reply).toMatchObject({ _id: sampleContract.id, corporateId: 'acme', completedAt: null });
  expect(JSON.stringify(reply)).not.toContain(sampleContract.corporateAccountId);
});

it('times are written in UTC with milliseconds', () => {
  const reply = contractReply({ ...sampleContract, completedAt: new Date(2_000) }, 'acme');
  expect([reply.createdAt, reply.updatedAt, reply.completedAt]).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:01.000Z',
    '1970-01-01T00:00:02.000Z',
  ]);
});
