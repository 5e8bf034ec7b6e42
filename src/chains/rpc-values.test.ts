import { zeroAddress, zeroHash } from 'viem';
import { expect, it } from 'vitest';
import { receiptOf } from './rpc-values.ts';

const log = { address: zeroAddress, topics: [zeroHash], data: '0x' };
const receipt = { transactionHash: zeroHash, blockHash: zeroHash, blockNumber: '0x1', gasUsed: '0x1', status: '0x1' };
const read = (logs: unknown) => receiptOf({ result: { ...receipt, logs } }, zeroHash);

it.each([
  ['no list', {}],
  ['nothing', [null]],
  ['no address', [log, { ...log, address: null }]],
  ['a short address', [{ ...log, address: '0x01' }]],
  ['no data', [{ ...log, data: undefined }]],
  ['a topic that is no hash', [{ ...log, topics: [zeroHash, '0x'] }]],
  ['no topics', [{ ...log, topics: null }]],
])('a receipt with %s for a log is none', (_, logs) => {
  expect(read([log])?.logs).toHaveLength(1);
  expect(read(logs)).toBeUndefined();
});
