import { describe, expect, it } from 'vitest';
import type { Claim } from '../../engine/order-kind.ts';
import { BATCH_GAS, batchGasOf } from './batch-gas.ts';
import { bundledMints } from './bundled-mints.ts';
import type { MintOrder } from './minting-orders.store.ts';

const contractAddress = `0x${'Ab'.repeat(20)}` as const;
const order = {
  contractAddress,
  contractType: 'standard',
  registeredAtBlock: null,
  ercStandard: '1155',
  tokenId: '7',
  receiverAddress: `0x${'Cd'.repeat(20)}`,
  amount: 2,
  tokenUri: null,
  metadataBaseUri: null,
} as MintOrder;
const claimOf = (fields: Partial<MintOrder>) => ({ order: { ...order, ...fields } }) as Claim<MintOrder>;

const isSame = (one: Partial<MintOrder>, other: Partial<MintOrder>) =>
  bundledMints.mark(claimOf(one)) === bundledMints.mark(claimOf(other));

describe('mints that share a call', () => {
  it('are on contracts that this service deployed', () => {
    expect(bundledMints.contract(claimOf({}))).toBe(contractAddress);
    expect(bundledMints.contract(claimOf({ registeredAtBlock: 1 }))).toBeNull();
    expect(bundledMints.contract(claimOf({ contractType: null }))).toBeNull();
  });

  it('have different logs: of ERC-1155 by token, receiver and amount, of ERC-721 by token', () => {
    const receiverAddress = order.receiverAddress.toLowerCase() as MintOrder['receiverAddress'];
    expect(isSame({}, { receiverAddress })).toBe(true);
    const others: readonly Partial<MintOrder>[] = [
      { tokenId: '8' },
      { amount: 3 },
      { receiverAddress: contractAddress },
    ];
    for (const other of others) {
      expect(isSame({}, other)).toBe(false);
    }
    const erc721 = { ercStandard: '721' } as const;
    expect(isSame(erc721, { ...erc721, receiverAddress: contractAddress })).toBe(true);
    expect(isSame(erc721, { ...erc721, tokenId: '8' })).toBe(false);
  });

  it('use less gas where a certificate has the URI that its contract derives', () => {
    const certificate = { ...order, contractType: 'certificate', metadataBaseUri: 'https://a.example/nft/' } as const;
    const derived = `https://a.example/nft/${contractAddress.toLowerCase()}/7`;
    for (const [tokenUri, isDerived] of [
      [derived, true],
      [`${derived}/`, false],
    ] as const) {
      const mint = { ...certificate, tokenUri };
      expect(bundledMints.gas(claimOf(mint))).toBe(batchGasOf({ ...mint, isDerived }));
    }
    expect(bundledMints.baseGas).toBe(BATCH_GAS.base);
  });
});
