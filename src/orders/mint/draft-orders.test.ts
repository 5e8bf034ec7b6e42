import { describe, expect, it } from 'vitest';
import { issuesOf } from '../../core/domain-error.ts';
import { orderInput } from './draft-orders.ts';

const valid = {
  chainId: '43114',
  contractAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  receiverAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  tokenId: '7',
  metadataId: 'a'.repeat(24),
};

/** The paths of the rejected fields. */
function faultyFields(change: Record<string, unknown>): string[] {
  const { error } = orderInput.safeParse({ ...valid, ...change });
  return error === undefined ? [] : issuesOf(error).map(({ path }) => path);
}

describe('the body of a mint order', () => {
  it('is accepted with only the required fields, and the contract address is lower-cased', () => {
    expect(orderInput.parse(valid)).toEqual({ ...valid, contractAddress: valid.contractAddress.toLowerCase() });
  });

  it.each(Object.keys(valid))('needs %s', (field) => {
    expect(faultyFields({ [field]: undefined })).toEqual([field]);
  });

  it.each([
    ['amount', 0],
    ['amount', -1],
    ['amount', 1.5],
    ['amount', '1'],
    ['tokenId', '-1'],
    ['tokenId', '01'],
    ['tokenId', (1n << 256n).toString()],
    ['contractAddress', '0x12'],
    ['receiverAddress', `0x${'0'.repeat(40)}`],
    ['metadataId', 'a'.repeat(23)],
  ])('is rejected with %s %s', (field, value) => {
    expect(faultyFields({ [field]: value })).toEqual([field]);
  });

  it.each(['tokenUri', 'metadataHash', 'mode'])('may have any %s, before its contract is known', (field) => {
    for (const value of ['', 5, null, {}, ['x']]) expect(faultyFields({ [field]: value })).toEqual([]);
  });

  it('has every issue reported at once', () => {
    expect(faultyFields({ amount: 0, tokenId: 'x', contractAddress: 'y' }).toSorted()).toEqual([
      'amount',
      'contractAddress',
      'tokenId',
    ]);
  });
});
