import { describe, expect, it } from 'vitest';
import { concat, hashTypedData, numberToHex, slice, type Hex } from 'viem';
import { canonicalSignature, forwardRequestTypedData, recoverSigner } from './forward-request.ts';

const forwarder = { chainId: '43114', address: '0x5fbdb2315678afecb367f032d93f642f64180aa3' } as const;
const request = {
  from: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
  value: 0n,
  gas: 500_000n,
  nonce: 7n,
  data: '0x42842e0e',
} as const;
/** Both by @metamask/eth-sig-util, eth_signTypedData_v4. */
const hash = '0xe9173b0c67c8cf78dd61f7a75a2dbf1c3d7c6479767e7cd5aa36753a6f468edb';
const signature =
  '0x18770afd6bb536d24de30881a2be5d1fc85f82fa9a3941879aca40eab275a04a427698416ade18af7c4e7a32691051bdaee0b1cca81bd24944ef5129fae8442a1b';

/** The equivalent signature with high s, which anyone can derive. */
function twin(): Hex {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = order - BigInt(slice(signature, 32, 64));
  return concat([slice(signature, 0, 32), numberToHex(s, { size: 32 }), '0x1c']);
}

describe('a forward request', () => {
  it('is hashed as wallets hash it', () => {
    expect(hashTypedData(forwardRequestTypedData(forwarder, request))).toBe(hash);
  });

  it('recovers its signer', async () => {
    expect(await recoverSigner(forwarder, request, signature)).toBe(request.from);
  });

  it.each([
    ['its chain', { ...forwarder, chainId: '43113' }, request],
    ['its forwarder', { ...forwarder, address: request.to }, request],
    ['its contract', forwarder, { ...request, to: forwarder.address }],
    ['its value', forwarder, { ...request, value: 1n }],
    ['its gas', forwarder, { ...request, gas: 500_001n }],
    ['its nonce', forwarder, { ...request, nonce: 8n }],
    ['its data', forwarder, { ...request, data: '0x42842e0f' }],
    ['its signer', forwarder, { ...request, from: forwarder.address }],
  ] as const)('does not fit the signature when %s is another', async (_, otherForwarder, other) => {
    expect(await recoverSigner(otherForwarder, other, signature)).not.toBe(request.from);
  });

  it('has no signer if the bytes are not a valid signature', async () => {
    for (const bytes of ['00', 'ff']) {
      expect(await recoverSigner(forwarder, request, `0x${bytes.repeat(65)}`)).toBeUndefined();
    }
  });
});

describe('the canonical form of a signature', () => {
  it('is what wallets write, unchanged', () => {
    expect(canonicalSignature(signature)).toBe(signature);
  });

  it('has v of 27 or 28 where a wallet writes 0 or 1', () => {
    expect(canonicalSignature(`${signature.slice(0, -2)}00` as Hex)).toBe(signature);
    expect(canonicalSignature(`${signature.slice(0, -2)}01` as Hex)).toBe(`${signature.slice(0, -2)}1c`);
  });

  it('is the same for both equivalent signatures, with low s', () => {
    expect(canonicalSignature(twin())).toBe(signature);
  });

  it('leaves an invalid v unchanged', () => {
    expect(canonicalSignature(`${signature.slice(0, -2)}25` as Hex)).toBe(`${signature.slice(0, -2)}25`);
  });
});
