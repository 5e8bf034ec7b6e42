import { encodeErrorResult } from 'viem';
import { describe, expect, it } from 'vitest';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { contractErrors, ERROR_MEANINGS } from './contract-errors.ts';
import { revertReason } from './rpc-error.ts';

/** Errors that say themselves what is wrong, and those that no function of the contracts can reach. */
const WITHOUT_MEANING = [
  'CollectionURINotSet',
  'ERC1155InvalidApprover',
  'ERC1155InvalidOperator',
  'ERC2981InvalidTokenRoyalty',
  'ERC2981InvalidTokenRoyaltyReceiver',
  'ERC721InvalidApprover',
  'ERC721InvalidOperator',
  'ERC721InvalidOwner',
  'Error',
  'InvalidShortString',
  'Panic',
  'StringTooLong',
  'StringsInsufficientHexLength',
];

describe('the meanings of errors', () => {
  it('are those of every error of the contracts', () => {
    const names = new Set([...contractErrors.values()].map(({ name }) => name));
    expect([...Object.keys(ERROR_MEANINGS), ...WITHOUT_MEANING].toSorted()).toEqual([...names].toSorted());
  });

  it('follow the error, and fit with it into what is stored', () => {
    const receiver = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
    const data = encodeErrorResult({ abi: standard721.abi, errorName: 'ERC721InvalidReceiver', args: [receiver] });
    expect(revertReason(data)).toBe(
      `ERC721InvalidReceiver(${receiver}): the receiver is a contract that does not accept tokens`,
    );
    for (const meaning of Object.values(ERROR_MEANINGS)) expect(meaning.length).toBeLessThan(120);
  });
});
