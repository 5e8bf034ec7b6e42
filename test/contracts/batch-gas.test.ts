import { type Address, type Hex, hexToBigInt, sha256, slice, stringToHex } from 'viem';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Item, gasLimitOf, mintManyData } from './support/batches.ts';
import { type Contract, mustWrite } from './support/contract-calls.ts';
import { startTokenHolders } from './support/token-holders.ts';
import { derivedUri, tokenKinds } from './support/token-kinds.ts';

const { chain, forwarder, issuer, bob } = await startTokenHolders();
afterAll(() => chain.stop());

/** 32 bytes without a zero, as zeros cost less in calldata. */
const bytesOf = (text: string): Hex => `0x${sha256(stringToHex(text)).slice(2).replaceAll('00', '11')}`;

/**
 * The most expensive item: a receiver without tokens, an id and an amount of many digits, another one for each number.
 */
function expensive(number: number, uri: (id: bigint) => string): Item {
  // The largest numbers in decimal have 78 digits.
  const id = hexToBigInt(bytesOf(`id ${number}`)) | (15n << 252n);
  const to = slice(bytesOf(`receiver ${number}`), 0, 20);
  return {
    to,
    id,
    amount: hexToBigInt(bytesOf(`amount ${number}`)) >> 1n,
    uri: uri(id),
    hash: bytesOf(`hash ${number}`),
  };
}

describe.each(tokenKinds)('the gas limit of a batch of $name', (kind) => {
  let token: Contract;

  beforeEach(async () => {
    token = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, forwarder.address));
  });

  /** Sends a batch with exactly its limit, as the owner. @returns the gas that it used. */
  async function gasOf(items: readonly Item[], from: Address, isDerived = false): Promise<bigint> {
    const gas = gasLimitOf(kind, items, isDerived);
    const { status, gasUsed } = await chain.send({ from, to: token.address, data: mintManyData(kind, items), gas });
    expect(status).toBe('success');
    return gasUsed;
  }

  const uris: readonly (readonly [what: string, uri: (derived: string, id: bigint) => string])[] = kind.isCertificate
    ? [
        ['the derived URI', (derived) => derived],
        ['one that differs from it in the last digit', (derived) => `${derived.slice(0, -1)}x`],
        ['one with the id in hexadecimal', (derived, id) => derived.replace(/\d+$/, id.toString(16).padStart(64, '0'))],
        ['one of 32 bytes', (derived) => derived.slice(0, 32)],
        ['one of 83 bytes', (derived) => derived.slice(0, 83)],
        ['one of 2,048 bytes', (derived) => derived.padEnd(2_048, 'x')],
      ]
    : [['no URI', () => '']];

  describe.each(uris)('with %s', (what, of) => {
    const isDerived = what === 'the derived URI';
    const items = (count: number, first = 0) =>
      Array.from({ length: count }, (__, index) => expensive(first + index, (id) => of(derivedUri(token, id), id)));

    it.each([1, 2, 9, 256])('is enough for %s, whoever the owner and the receivers are', async (count) => {
      await mustWrite(chain, issuer.address, token, 'transferOwnership', [bob.address]);
      const most = items(count);
      // As many as a transaction may have (EIP-7825).
      while (gasLimitOf(kind, most, isDerived) > 2n ** 24n) most.pop();
      expect(await gasOf(most, bob.address, isDerived)).toBeGreaterThan(0n);
    });

    it('is enough if nothing can be minted', async () => {
      await gasOf(items(5), issuer.address, isDerived);
      const again = kind.isErc721 ? items(5) : items(5).map((item) => ({ ...item, amount: 0n }));
      expect(await gasOf(again, issuer.address, isDerived)).toBeGreaterThan(0n);
    });
  });

  it('is at most 2 % above what the most expensive batch takes', async () => {
    await mustWrite(chain, issuer.address, token, 'transferOwnership', [bob.address]);
    const items = Array.from({ length: 60 }, (_, number) => expensive(number, (id) => derivedUri(token, id ^ 1n)));
    expect(Number(gasLimitOf(kind, items)) / Number(await gasOf(items, bob.address))).toBeLessThan(1.02);
  });

  it('does not depend on what receivers have, as an estimate does: they may have nothing left in the block', async () => {
    const holders = await Promise.all(Array.from({ length: 8 }, (_, index) => chain.account(`holder ${index}`)));
    const uri = 'x'.repeat(32);
    const hash = bytesOf('hash');
    const held = holders.map(({ address }, index) => ({ to: address, id: BigInt(index), amount: 1n, uri, hash }));
    await gasOf(held, issuer.address);
    const batch = kind.isErc721 ? held.map((item) => ({ ...item, id: item.id + 100n })) : held;
    const call = { account: issuer.address, to: token.address, data: mintManyData(kind, batch) };
    const estimate = await chain.client.estimateGas(call);
    for (const [index, { address }] of holders.entries()) {
      // Another holder keeps the id, and so its record.
      if (!kind.isErc721) await gasOf([{ ...held[index]!, to: bob.address }], issuer.address);
      await mustWrite(chain, address, token, 'burn', kind.burnArgs(address, BigInt(index)));
    }
    expect(await gasOf(batch, issuer.address)).toBeGreaterThan((estimate * 11n) / 10n);
  });
});
