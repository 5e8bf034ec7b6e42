import { describe, expect, it } from 'vitest';
import { createPublicClient, encodeAbiParameters, encodeErrorResult, getAddress, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import type { Chain } from '../chains/client.ts';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcReply } from '../chains/rpc-exchange.ts';
import { rpcTransport } from '../chains/rpc-transport.ts';
import { lowerCase } from '../core/lower-case.ts';
import { checkHolding } from './check-holding.ts';

const from: Address = `0x${'a1'.repeat(20)}`;
const other = getAddress(`0x${'b2'.repeat(20)}`);
const holding = { contractAddress: lowerCase(`0x${'c3'.repeat(20)}`), from, tokenId: '7', amount: 5 } as const;

/** A chain whose contracts answer every call alike. */
function chainWhere(answer: RpcReply): Chain {
  const rpc = { request: async () => [answer] } as unknown as RpcClient;
  return { client: createPublicClient({ transport: rpcTransport(rpc) }) } as unknown as Chain;
}
const returning = (type: 'address' | 'uint256', value: string | bigint) =>
  chainWhere({ result: encodeAbiParameters([{ type }], [value as never]) });
const reverting = (data: Hex) => chainWhere({ error: { code: 3, message: 'execution reverted', data } });

describe('the holder of an ERC-721 token', () => {
  const of721 = { ...holding, ercStandard: '721', amount: 1 } as const;

  it('holds it, however the address is spelled', async () => {
    expect(await checkHolding(returning('address', getAddress(from)), of721)).toEqual([]);
  });

  it('is named where it is someone else', async () => {
    expect(await checkHolding(returning('address', other), of721)).toEqual([
      { path: 'from', code: 'not_holder', message: `is not the holder of token 7: ${other} is` },
    ]);
  });

  it("is nobody where the token does not exist, with the contract's error", async () => {
    const data = encodeErrorResult({ abi: standard721.abi, errorName: 'ERC721NonexistentToken', args: [7n] });
    const [issue, ...more] = await checkHolding(reverting(data), of721);
    expect([issue?.path, issue?.message, more]).toEqual([
      'tokenId',
      expect.stringContaining('ERC721NonexistentToken'),
      [],
    ]);
  });
});

describe('the holder of ERC-1155 units', () => {
  const of1155 = { ...holding, ercStandard: '1155' } as const;

  it.each([5n, 6n])('holds 5 of %s', async (balance) => {
    expect(await checkHolding(returning('uint256', balance), of1155)).toEqual([]);
  });

  it('does not hold more than the balance, which the issue states', async () => {
    expect(await checkHolding(returning('uint256', 4n), of1155)).toEqual([
      { path: 'amount', code: 'not_holder', message: 'is more than the balance: from holds 4 of token 7' },
    ]);
  });

  it('without units is no holder', async () => {
    expect(await checkHolding(returning('uint256', 0n), of1155)).toEqual([
      { path: 'from', code: 'not_holder', message: 'is not a holder of token 7' },
    ]);
  });
});

it('fails with upstream when the chain does not answer, and reports no issue of the holder', async () => {
  const silent = chainWhere({ lost: 'unreachable' });
  await expect(checkHolding(silent, { ...holding, ercStandard: '1155' })).rejects.toMatchObject({ kind: 'upstream' });
});
