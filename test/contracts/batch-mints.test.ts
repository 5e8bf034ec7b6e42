import * as fc from 'fast-check';
import {
  type Address,
  type Hex,
  type TransactionReceipt,
  concat,
  decodeEventLog,
  hexToBigInt,
  maxUint256,
  sha256,
  size,
  slice,
  stringToHex,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from 'viem';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { randomCases } from '../fixtures/random-cases.ts';
import {
  type Item,
  callsMadeIn,
  effectsOfCalls,
  gasLimitOf,
  mintData,
  mintManyData,
  mintedBits,
  mintedOf,
  receiversWithCode,
  storageOf,
  undone,
} from './support/batches.ts';
import { type Contract, mustWrite, revertOf } from './support/contract-calls.ts';
import { signedRequest } from './support/forward-request.ts';
import { startTokenHolders } from './support/token-holders.ts';
import { type TokenKind, certificateHash, certificateUri, derivedUri, tokenKinds } from './support/token-kinds.ts';

/** The most gas that a transaction may have (EIP-7825). */
const mostGas = 2n ** 24n;

const { chain, fixture, forwarder, issuer, alice, bob, outsider } = await startTokenHolders();
afterAll(() => chain.stop());

/** Receivers with code, which a batch must leave to `mint`. */
const withCode = await receiversWithCode(chain, fixture);

const item = (fields: Partial<Item> = {}): Item => ({
  to: alice.address,
  id: 7n,
  amount: 1n,
  uri: certificateUri,
  hash: certificateHash,
  ...fields,
});

describe.each(tokenKinds)('a batch of $name', (kind) => {
  let token: Contract;

  beforeEach(async () => {
    token = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, forwarder.address));
  });

  const sendBatch = (items: readonly Item[], from = issuer.address, gas = gasLimitOf(kind, items)) =>
    chain.send({ from, to: token.address, data: mintManyData(kind, items), gas });

  const minted = (items: readonly Item[]) => mintedOf(chain, kind, token, issuer.address, items);

  const effectsOf = (calls: () => Promise<readonly Pick<TransactionReceipt, 'logs'>[]>) =>
    effectsOfCalls(chain, token, calls);

  /** Expects that a batch mints none of its items, changes no storage and emits nothing. */
  const expectSkipped = async (items: readonly Item[]) => {
    const storage = await storageOf(chain, token);
    expect(await minted(items)).toEqual(items.map(() => false));
    const { status, logs } = await sendBatch(items);
    expect({ status, logs }).toEqual({ status: 'success', logs: [] });
    expect(await storageOf(chain, token)).toEqual(storage);
  };

  /** Certificates with few documents and holders, as 256 new ones take more gas than a transaction may have. */
  const many = (length: number) =>
    Array.from({ length }, (_, index) => {
      const id = kind.isErc721 ? BigInt(index) : BigInt(index % 2);
      return item({ to: [alice, bob][index % 2]!.address, id, uri: derivedUri(token, id) });
    });

  /** A call that must revert. @returns its revert data. */
  async function callFailing(data: Hex, from = issuer.address): Promise<{ data?: Hex }> {
    const request = chain.client.request as (call: object) => Promise<unknown>;
    const call = { from, to: token.address, data, gas: `0x${mostGas.toString(16)}` as const };
    try {
      await request({ method: 'eth_call', params: [call, 'latest'] });
    } catch (error) {
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
        if ('data' in cause) return { data: cause.data as Hex };
      }
    }
    throw new Error('The call did not revert');
  }

  /** Relays a call. @returns its result and the events of the contract. */
  async function relay(signer: typeof issuer, data: Hex) {
    const request = await signedRequest(chain, forwarder, signer, { to: token.address, data, gas: 900_000n });
    const receipt = await mustWrite(chain, outsider.address, forwarder, 'execute', request);
    const own = receipt.logs.filter(({ address }) => address.toLowerCase() === token.address.toLowerCase());
    const executed = receipt.logs.find(({ address }) => address.toLowerCase() === forwarder.address.toLowerCase())!;
    const { args } = decodeEventLog({ abi: forwarder.abi, eventName: 'Executed', ...executed });
    return { receipt: { logs: own }, ...args };
  }

  /** The contract, for tests of what only some have. */
  const only = {
    erc721: kind.isErc721 ? [kind] : [],
    erc1155: kind.isErc721 ? [] : [kind],
    certificate: kind.isCertificate ? [kind] : [],
  };

  describe('skips an item, which changes no storage and emits nothing,', () => {
    it('to the zero address or to an account with code: a contract, whatever its hook does, or one that has delegated', async () => {
      await expectSkipped([zeroAddress, ...withCode].map((to, id) => item({ to, id: BigInt(id) })));
    });

    it.each(only.erc721)('whose id exists, also since an earlier item', async () => {
      await sendBatch([item()]);
      await expectSkipped([item(), item({ to: bob.address })]);
      expect(await minted([item({ id: 8n }), item({ id: 8n, to: bob.address })])).toEqual([true, false]);
    });

    it.each(only.erc1155)('of no units, or of more than the balance can hold', async () => {
      await expectSkipped([item({ amount: 0n })]);
      await sendBatch([item({ amount: maxUint256 })]);
      await expectSkipped([item({ amount: 1n }), item({ amount: maxUint256 })]);
      const elsewhere = [item({ id: 8n, amount: maxUint256 - 1n }), item({ id: 8n, amount: 2n }), item({ id: 8n })];
      expect(await minted(elsewhere)).toEqual([true, false, true]);
    });

    it.each(only.erc1155)('of more units than the supply can count, where it is counted', async () => {
      await sendBatch([item({ amount: maxUint256 })]);
      expect(await minted([item({ to: bob.address })])).toEqual([!kind.isCertificate]);
      if (kind.isCertificate) await expectSkipped([item({ to: bob.address })]);
    });

    it.each(only.certificate)('without a document, or with another one than its id has', async () => {
      await expectSkipped([item({ uri: '' }), item({ hash: zeroHash })]);
      await sendBatch([item()]);
      await mustWrite(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 7n));
      const otherHash = sha256(stringToHex('forged'));
      const others = [{ uri: `${certificateUri}x` }, { uri: derivedUri(token, 7n) }, { uri: '' }, { hash: otherHash }];
      await expectSkipped(others.map((fields) => item(fields)));
      expect(await minted([...others.map((fields) => item(fields)), item()])).toEqual([
        false,
        false,
        false,
        false,
        true,
      ]);
    });
  });

  it('calls nobody and creates nothing, whoever the receivers are', async () => {
    const receivers = [alice.address, zeroAddress, ...withCode, bob.address];
    const receipt = await sendBatch(
      receivers.map((to, id) => item({ to, id: BigInt(id), uri: derivedUri(token, BigInt(id)) })),
    );
    expect(receipt.logs.length).toBeGreaterThan(1);
    expect(await callsMadeIn(chain, receipt.transactionHash)).toEqual([]);
    const alone = { from: issuer.address, to: token.address, data: mintData(kind, item({ to: withCode[0]! })) };
    const { transactionHash } = await chain.send(alone);
    expect(await callsMadeIn(chain, transactionHash)).toEqual([{ type: 'CALL', to: withCode[0]!.toLowerCase() }]);
  });

  describe('has up to 256 items:', () => {
    it('256 are minted at once', async () => {
      const items = many(256);
      expect((await sendBatch(items, issuer.address, mostGas)).status).toBe('success');
      expect(await minted(items)).toEqual(items.map(() => !kind.isErc721));
    });

    it('the last one has the highest bit of the result', async () => {
      const items = [...Array.from({ length: 255 }, () => item({ to: zeroAddress })), item()];
      expect(await minted(items)).toEqual(items.map((_, index) => index === 255));
    });

    it('none is a batch, too', async () => {
      expect(await minted([])).toEqual([]);
      expect((await sendBatch([])).logs).toEqual([]);
    });

    it.each([257, 300])('%s are refused, even if all would be skipped', async (length) => {
      for (const items of [many(length), many(length).map((one) => ({ ...one, to: zeroAddress }))]) {
        const { data = '0x' } = await callFailing(mintManyData(kind, items));
        expect(data).toBe(toFunctionSelector('IssuanceBatchTooLong()'));
      }
    });

    it('any mixture of 256 does not revert', async () => {
      const anyFields = fc.record({
        to: fc.nat({ max: 7 }),
        id: fc.nat({ max: 40 }),
        amount: fc.constantFrom(0n, 1n, maxUint256),
        uri: fc.nat({ max: 2 }),
      });
      const anyItems = fc.array(anyFields, { minLength: 256, maxLength: 256, size: 'max' });
      await fc.assert(
        fc.asyncProperty(anyItems, async (choices) => {
          const items = choices.map(({ to, id, amount, uri }) =>
            item({
              to: [alice.address, bob.address, outsider.address, zeroAddress, ...withCode][to]!,
              id: BigInt(id),
              amount,
              uri: [derivedUri(token, BigInt(id)), certificateUri, ''][uri]!,
            }),
          );
          const { status } = await undone(chain, () => sendBatch(items, issuer.address, mostGas));
          expect(status).toBe('success');
        }),
        randomCases(6),
      );
    });
  });

  describe('is minted by the owner alone,', () => {
    it('whoever calls it directly', async () => {
      const reason = `OwnableUnauthorizedAccount(${outsider.address})`;
      expect(await revertOf(chain, outsider.address, token, 'mintMany', [[]])).toBe(reason);
      expect((await sendBatch([item()], outsider.address)).status).toBe('reverted');
      await mustWrite(chain, issuer.address, token, 'transferOwnership', [alice.address]);
      expect((await sendBatch([item()])).status).toBe('reverted');
      expect((await sendBatch([item()], alice.address)).status).toBe('success');
    });

    it('also through the forwarder, with the events of a direct call and the same result', async () => {
      const data = mintManyData(kind, [item({ to: zeroAddress }), item(), item({ to: bob.address, id: 8n })]);
      const direct = await effectsOf(async () => [await chain.send({ from: issuer.address, to: token.address, data })]);
      const relayed = await effectsOf(async () => [(await relay(issuer, data)).receipt]);
      expect(relayed).toEqual(direct);
      const { success, returndata } = await relay(issuer, data);
      expect([success, mintedBits(returndata, 3)]).toEqual([true, [false, true, true]]);
    });

    it('not by a stranger through the forwarder', async () => {
      const storage = await storageOf(chain, token);
      const { success, returndata, receipt } = await relay(outsider, mintManyData(kind, [item()]));
      const refusal = concat([
        toFunctionSelector('OwnableUnauthorizedAccount(address)'),
        padded(outsider.address),
      ]).toLowerCase();
      expect({ success, returndata, logs: receipt.logs }).toEqual({ success: false, returndata: refusal, logs: [] });
      expect(await storageOf(chain, token)).toEqual(storage);
    });

    it('whose address, which the forwarder appends, is plain data to an item that reaches into it', async () => {
      const data = reachingIntoSender(kind, item({ id: hexToBigInt(padded(alice.address)) }));
      const direct = await effectsOf(async () => [
        await chain.send({ from: issuer.address, to: token.address, data: concat([data, issuer.address]) }),
      ]);
      expect(direct.logs.length).toBeGreaterThan(0);
      expect(await effectsOf(async () => [(await relay(issuer, data)).receipt])).toEqual(direct);
      const stranger = await relay(outsider, data);
      expect([stranger.success, stranger.receipt.logs]).toEqual([false, []]);
      // Named by the data alone, nobody is the sender.
      const forged = { from: outsider.address, to: token.address, data: concat([data, issuer.address]) };
      expect((await chain.send(forged)).status).toBe('reverted');
    });

    it('and not if an item is not all there, even with the bytes that the forwarder appends', async () => {
      for (const missing of [21, 32, 64]) {
        const data = mintManyData(kind, [item()]);
        const { success, receipt } = await relay(issuer, slice(data, 0, size(data) - missing - tailOf(kind)));
        expect([missing, success, receipt.logs]).toEqual([missing, false, []]);
      }
    });
  });
});

function padded(address: Address): Hex {
  return concat([`0x${'00'.repeat(12)}`, address]);
}

/** The length of the zeros at the end of a call with one item: what pads the URI of a certificate. */
function tailOf({ isCertificate }: TokenKind): number {
  return isCertificate ? 32 - (size(stringToHex(certificateUri)) % 32) : 0;
}

/** A batch of one item whose last 20 bytes are those after the call. */
function reachingIntoSender(kind: TokenKind, one: Item): Hex {
  const data = mintManyData(kind, [one]);
  if (!kind.isCertificate) return slice(data, 0, size(data) - 20);
  const text = stringToHex(one.uri);
  const start = size(data) - tailOf(kind) - size(text);
  const length = `0x${(size(text) + 20).toString(16).padStart(64, '0')}` as const;
  return concat([slice(data, 0, start - 32), length, text]);
}
