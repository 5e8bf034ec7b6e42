import { createPublicClient, encodeAbiParameters, toHex, type Address, type Hex } from 'viem';
import { expect, it } from 'vitest';
import type { Chain } from '../../chains/client.ts';
import type { RpcClient } from '../../chains/rpc-client.ts';
import type { RpcCall, RpcReply } from '../../chains/rpc-exchange.ts';
import { rpcTransport } from '../../chains/rpc-transport.ts';
import { inspectContract } from './inspect-contract.ts';

const wallet: Address = `0x${'a1'.repeat(20)}`;
const claim = { contractAddress: `0x${'c3'.repeat(20)}`, ercStandard: '721', contractType: 'standard' } as const;

/** The interfaces that the contract has: ERC-165 and ERC-721. */
const INTERFACES = new Set(['01ffc9a7', '80ac58cd']);

function returned(data: Hex): Hex {
  if (!data.startsWith('0x01ffc9a7')) return encodeAbiParameters([{ type: 'address' }], [wallet]);
  return encodeAbiParameters([{ type: 'bool' }], [INTERFACES.has(data.slice(10, 18))]);
}

/** A node that is at this height. */
const nodeAt =
  (height: number) =>
  ({ method, params }: RpcCall): RpcReply => {
    if (method === 'eth_blockNumber') return { result: toHex(height) };
    if (method === 'eth_getCode') return { result: '0x6001' };
    return { result: returned((params[0] as { data: Hex }).data) };
  };

/** A chain with nodes at these heights; the first one is asked for everything. */
function chainWith(id: string, heights: readonly [number, ...number[]]): Chain {
  const rpc = {
    providers: heights.length,
    request: async (calls: readonly RpcCall[]) => calls.map(nodeAt(heights[0])),
    requestOfEach: async (calls: readonly RpcCall[]) => heights.map((height) => calls.map(nodeAt(height))),
  } as unknown as RpcClient;
  return { id, rpc, client: createPublicClient({ transport: rpcTransport(rpc) }) } as unknown as Chain;
}

it('a contract is registered at the height on which most nodes agree, and not while none does', async () => {
  expect(await inspectContract(chainWith('90001', [500, 501, 499]), claim, wallet)).toMatchObject({ blockNumber: 500 });
  expect(await inspectContract(chainWith('90003', [90_000_000, 501, 499]), claim, wallet)).toMatchObject({
    blockNumber: 501,
  });
  await expect(inspectContract(chainWith('90002', [90_000_000, 501]), claim, wallet)).rejects.toMatchObject({
    kind: 'upstream',
  });
});
