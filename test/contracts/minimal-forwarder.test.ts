import {
  type Address,
  type Hex,
  concat,
  encodeErrorResult,
  hexToBigInt,
  numberToHex,
  pad,
  parseSignature,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { type EphemeralChain, startEphemeralChain } from '../../scripts/contracts/ephemeral-chain.ts';
import { type Contract, callData, eventsOf, mustWrite, revertOf, write } from './support/contract-calls.ts';
import { compileFixtures } from './support/fixtures.ts';
import { type Forwarder, requestDigest, requestOf, signRequest, signedRequest } from './support/forward-request.ts';

const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

let chain: EphemeralChain;
let fixture: ReturnType<typeof compileFixtures>;
let issuer: PrivateKeyAccount;
let alice: PrivateKeyAccount;
let bob: PrivateKeyAccount;
let relayer: PrivateKeyAccount;
let forwarder: Forwarder;
let probe: Contract;

beforeAll(async () => {
  chain = await startEphemeralChain();
  fixture = compileFixtures('Receivers.sol', 'ForwarderTargets.sol');
  issuer = await chain.account('issuer');
  alice = await chain.account('alice');
  bob = await chain.account('bob');
  relayer = await chain.account('relayer');
});

afterAll(() => chain.stop());

beforeEach(async () => {
  forwarder = await chain.deploy(minimalForwarder, []);
  probe = await chain.deploy(fixture('Probe'), []);
});

const nonceOf = (address: Address): Promise<bigint> =>
  chain.client.readContract({ ...forwarder, functionName: 'getNonce', args: [address] });

const probed = (functionName: string): Promise<unknown> => chain.client.readContract({ ...probe, functionName });

/** A collection of the issuer's. */
const deployCollection = (trustedForwarder = forwarder.address): Promise<Contract> =>
  chain.deploy(standard721, ['Collection', 'COLL', issuer.address, trustedForwarder, '', issuer.address, 0n]);

const recordCall = () => ({ to: probe.address, data: callData(probe, 'record', []) });
const failCall = (code: bigint) => ({ to: probe.address, data: callData(probe, 'fail', [code]) });

/** The forwarder's report of an executed request. */
const executed = (nonce: bigint, success: boolean, returndata: Hex, to = probe.address) =>
  `Executed(${alice.address},${to},${nonce},${success},${returndata})`;

const uint = (value: bigint): Hex => numberToHex(value, { size: 32 });

const probeFailed = (code: bigint): Hex =>
  encodeErrorResult({ abi: probe.abi, errorName: 'ProbeFailed', args: [code] });

describe('signatures', () => {
  it('are over the domain MinimalForwarder, version 1.0, this chain and this contract', async () => {
    const [fields, name, version, chainId, verifyingContract] = await chain.client.readContract({
      ...forwarder,
      functionName: 'eip712Domain',
    });
    expect([fields, name, version, chainId, verifyingContract]).toEqual([
      '0x0f',
      'MinimalForwarder',
      '1.0',
      43114n,
      forwarder.address,
    ]);
  });

  it('allow anyone to submit the request, and the called contract sees the signer as the sender', async () => {
    const request = await signedRequest(chain, forwarder, alice, recordCall());
    expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args: request })).toBe(true);
    const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(eventsOf(forwarder, receipt)).toEqual([executed(0n, true, uint(42n))]);
    expect(await probed('sender')).toBe(alice.address);
  });

  it('are returned by a simulation as success and return data', async () => {
    const request = await signedRequest(chain, forwarder, alice, recordCall());
    const { result } = await chain.client.simulateContract({
      ...forwarder,
      functionName: 'execute',
      args: request,
      account: relayer.address,
    });
    expect(result).toEqual([true, uint(42n)]);
  });

  it('by another signer are refused', async () => {
    const request = await requestOf(chain, forwarder, alice.address, recordCall());
    const args = [request, await signRequest(chain, forwarder, bob, request)] as const;
    expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args })).toBe(false);
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', args)).toBe(
      `ForwarderInvalidSignature(${alice.address})`,
    );
  });

  it.each([
    ['name', { name: 'Forwarder' }],
    ['version', { version: '1' }],
    ['chain', { chainId: 43113 }],
    ['forwarder', { verifyingContract: '0x1111111111111111111111111111111111111111' }],
  ] as const)('for another %s are refused', async (_part, domain) => {
    const request = await requestOf(chain, forwarder, alice.address, recordCall());
    const args = [request, await signRequest(chain, forwarder, alice, request, domain)] as const;
    expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args })).toBe(false);
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', args)).toBe(
      `ForwarderInvalidSignature(${alice.address})`,
    );
  });

  it('cover every field: a request with any of them changed is refused', async () => {
    const [request, signature] = await signedRequest(chain, forwarder, alice, recordCall());
    const otherProbe = await chain.deploy(fixture('Probe'), []);
    // Bob and Alice have the same nonce here, so only the signature differs.
    const changes = [
      { from: bob.address },
      { to: otherProbe.address },
      { value: 1n },
      { gas: request.gas - 1n },
      { data: failCall(1n).data },
    ];
    for (const change of changes) {
      const args = [{ ...request, ...change }, signature] as const;
      const value = args[0].value;
      expect(await revertOf(chain, relayer.address, forwarder, 'execute', args, { value })).toBe(
        `ForwarderInvalidSignature(${args[0].from})`,
      );
    }
  });

  it('in the mirrored, malleable form are refused', async () => {
    const [request, signature] = await signedRequest(chain, forwarder, alice, recordCall());
    const { r, s, yParity } = parseSignature(signature);
    const mirroredS = uint(secp256k1Order - hexToBigInt(s));
    const mirroredV = yParity === 0 ? 28n : 27n;
    const mirrored = concat([r, mirroredS, numberToHex(mirroredV)]);
    // ecrecover returns Alice for it.
    const recovered = await chain.client.call({
      to: numberToHex(1n, { size: 20 }),
      data: concat([requestDigest(chain, forwarder, request), uint(mirroredV), r, mirroredS]),
    });
    expect(recovered.data).toBe(pad(alice.address).toLowerCase());
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', [request, mirrored])).toBe(
      `ForwarderInvalidSignature(${alice.address})`,
    );
  });

  it.each([
    ['empty', '0x'],
    ['too short', `0x${'11'.repeat(64)}`],
    ['too long', `0x${'11'.repeat(66)}`],
    ['of zeros', `0x${'00'.repeat(65)}`],
  ] as const)('that are %s are refused, also for the zero address', async (_what, signature) => {
    for (const from of [alice.address, zeroAddress]) {
      const request = await requestOf(chain, forwarder, from, recordCall());
      expect(
        await chain.client.readContract({ ...forwarder, functionName: 'verify', args: [request, signature] }),
      ).toBe(false);
      expect(await revertOf(chain, relayer.address, forwarder, 'execute', [request, signature])).toBe(
        `ForwarderInvalidSignature(${from})`,
      );
    }
  });
});

describe('nonces', () => {
  it('start at zero and increase by one per request, separately for each signer', async () => {
    expect(await nonceOf(alice.address)).toBe(0n);
    for (const expected of [1n, 2n, 3n]) {
      await mustWrite(
        chain,
        relayer.address,
        forwarder,
        'execute',
        await signedRequest(chain, forwarder, alice, recordCall()),
      );
      expect(await nonceOf(alice.address)).toBe(expected);
    }
    expect(await nonceOf(bob.address)).toBe(0n);
  });

  it('make a request valid once', async () => {
    const request = await signedRequest(chain, forwarder, alice, recordCall());
    await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args: request })).toBe(false);
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
      `ForwarderInvalidNonce(${alice.address},1,0)`,
    );
  });

  it('make a request valid once even if its call failed', async () => {
    const request = await signedRequest(chain, forwarder, alice, failCall(1n));
    await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
      `ForwarderInvalidNonce(${alice.address},1,0)`,
    );
  });

  it('are used in order: a later request has to wait', async () => {
    const later = await signedRequest(chain, forwarder, alice, { ...recordCall(), nonce: 1n });
    expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args: later })).toBe(false);
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', later)).toBe(
      `ForwarderInvalidNonce(${alice.address},0,1)`,
    );
    const first = await signedRequest(chain, forwarder, alice, recordCall());
    await mustWrite(chain, relayer.address, forwarder, 'execute', first);
    await mustWrite(chain, relayer.address, forwarder, 'execute', later);
  });

  it('are used before the call: the called contract cannot submit the same request again', async () => {
    const receiver = await chain.deploy(fixture('ReentrantReceiver'), []);
    const token = await deployCollection();
    const request = await signedRequest(chain, forwarder, issuer, {
      to: token.address,
      data: callData(token, 'mint', [receiver.address, 7n]),
      gas: 2_000_000n,
    });
    const again = callData(forwarder, 'execute', request);
    await mustWrite(chain, relayer.address, receiver, 'prepare', [forwarder.address, again]);
    await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(await chain.client.readContract({ ...receiver, functionName: 'called' })).toBe(true);
    expect(await chain.client.readContract({ ...receiver, functionName: 'succeeded' })).toBe(false);
    expect(await chain.client.readContract({ ...receiver, functionName: 'result' })).toBe(
      encodeErrorResult({ abi: forwarder.abi, errorName: 'ForwarderInvalidNonce', args: [issuer.address, 1n, 0n] }),
    );
    expect(await nonceOf(issuer.address)).toBe(1n);
  });
});

describe('the called contract', () => {
  it.each(['Distrustful', 'Mute', 'ShortAnswerer', 'Vague'])(
    'must say that it trusts the forwarder: %s is not called',
    async (name) => {
      const target = await chain.deploy(fixture(name), []);
      const request = await signedRequest(chain, forwarder, alice, {
        to: target.address,
        data: toFunctionSelector('touch()'),
      });
      expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args: request })).toBe(false);
      expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
        `ForwarderUntrustedTarget(${target.address})`,
      );
    },
  );

  it('must be a contract: neither an account nor a precompile of Ethereum', async () => {
    const precompiles = Array.from({ length: 9 }, (_, index) => numberToHex(index + 1, { size: 20 }));
    for (const to of [bob.address, zeroAddress, ...precompiles]) {
      const request = await signedRequest(chain, forwarder, alice, { to, data: '0x' });
      expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
        `ForwarderUntrustedTarget(${to})`,
      );
    }
  });

  it("gets 50,000 gas to say whether it trusts the forwarder, not all of the relayer's gas", async () => {
    const target = await chain.deploy(fixture('Ponderer'), []);
    const request = await signedRequest(chain, forwarder, alice, { to: target.address, data: '0x', gas: 30_000n });
    const data = callData(forwarder, 'execute', request);
    const receipt = await chain.send({ from: relayer.address, to: forwarder.address, data, gas: 2_000_000n });
    expect(receipt.status).toBe('success');
    expect(receipt.gasUsed).toBeLessThan(200_000n);
  });

  it('is not called by a token contract that trusts another forwarder', async () => {
    const token = await deployCollection(bob.address);
    const request = await signedRequest(chain, forwarder, issuer, {
      to: token.address,
      data: callData(token, 'mint', [alice.address, 7n]),
    });
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
      `ForwarderUntrustedTarget(${token.address})`,
    );
  });
});

const cancelCall = (lastNonce: bigint) => ({
  to: forwarder.address,
  data: callData(forwarder, 'cancel', [lastNonce]),
});
const cancelled = (first: bigint, last: bigint) => `NoncesCancelled(${alice.address},${first},${last})`;

describe('cancelling', () => {
  it('by a transaction of the signer makes a signed request invalid, and the next one valid', async () => {
    const request = await signedRequest(chain, forwarder, alice, recordCall());
    const receipt = await mustWrite(chain, alice.address, forwarder, 'cancel', [0n]);
    expect(eventsOf(forwarder, receipt)).toEqual([cancelled(0n, 0n)]);
    expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args: request })).toBe(false);
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
      `ForwarderInvalidNonce(${alice.address},1,0)`,
    );
    const next = await signedRequest(chain, forwarder, alice, recordCall());
    await mustWrite(chain, relayer.address, forwarder, 'execute', next);
  });

  it('covers all outstanding requests up to the given nonce', async () => {
    const requests = await Promise.all(
      [0n, 1n, 2n, 3n].map((nonce) => signedRequest(chain, forwarder, alice, { ...recordCall(), nonce })),
    );
    const receipt = await mustWrite(chain, alice.address, forwarder, 'cancel', [2n]);
    expect(eventsOf(forwarder, receipt)).toEqual([cancelled(0n, 2n)]);
    for (const [nonce, request] of requests.slice(0, 3).entries()) {
      expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
        `ForwarderInvalidNonce(${alice.address},3,${nonce})`,
      );
    }
    await mustWrite(chain, relayer.address, forwarder, 'execute', requests[3]!);
  });

  it('uses only the nonces of the caller', async () => {
    await mustWrite(chain, bob.address, forwarder, 'cancel', [5n]);
    expect([await nonceOf(bob.address), await nonceOf(alice.address)]).toEqual([6n, 0n]);
  });

  it('of a used nonce reverts, so that it is not mistaken for a cancellation', async () => {
    const request = await signedRequest(chain, forwarder, alice, recordCall());
    await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(await revertOf(chain, alice.address, forwarder, 'cancel', [0n])).toBe(
      `ForwarderInvalidNonce(${alice.address},1,0)`,
    );
    expect(await nonceOf(alice.address)).toBe(1n);
  });

  it('uses at most 65,536 nonces, so that no signer is locked out by one signature', async () => {
    for (const last of [65_536n, 2n ** 256n - 1n]) {
      expect(await revertOf(chain, alice.address, forwarder, 'cancel', [last])).toBe(
        `ForwarderInvalidNonce(${alice.address},0,${last})`,
      );
    }
    await mustWrite(chain, alice.address, forwarder, 'cancel', [65_535n]);
    expect(await nonceOf(alice.address)).toBe(65_536n);
  });

  it('by a signed request replaces the request that has the same nonce, and someone else pays', async () => {
    const unwanted = await signedRequest(chain, forwarder, alice, recordCall());
    const before = await chain.client.getBalance({ address: alice.address });
    const request = await signedRequest(chain, forwarder, alice, cancelCall(0n));
    expect(await chain.client.readContract({ ...forwarder, functionName: 'verify', args: request })).toBe(true);
    const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(eventsOf(forwarder, receipt)).toEqual([cancelled(0n, 0n), executed(0n, true, '0x', forwarder.address)]);
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', unwanted)).toBe(
      `ForwarderInvalidNonce(${alice.address},1,0)`,
    );
    expect(await chain.client.getBalance({ address: alice.address })).toBe(before);
  });

  it('by a signed request covers later requests too', async () => {
    const request = await signedRequest(chain, forwarder, alice, cancelCall(4n));
    const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(eventsOf(forwarder, receipt)[0]).toBe(cancelled(0n, 4n));
    expect(await nonceOf(alice.address)).toBe(5n);
  });

  it('by a signed request for a nonce before its own fails, and uses its own', async () => {
    await mustWrite(chain, alice.address, forwarder, 'cancel', [1n]);
    const request = await signedRequest(chain, forwarder, alice, cancelCall(1n));
    const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(eventsOf(forwarder, receipt)[0]).toContain(`,2,false,`);
    expect(await nonceOf(alice.address)).toBe(3n);
  });

  it('trusts only the forwarder: an address appended to the calldata does not change the signer', async () => {
    const data = concat([callData(forwarder, 'cancel', [3n]), alice.address]);
    const receipt = await chain.send({ from: bob.address, to: forwarder.address, data });
    expect(eventsOf(forwarder, receipt)).toEqual([`NoncesCancelled(${bob.address},0,3)`]);
    expect(await nonceOf(alice.address)).toBe(0n);
  });

  it('during the call of a request persists: the request does not reset the nonce', async () => {
    const data = callData(probe, 'callBack', [forwarder.address, callData(forwarder, 'cancel', [9n])]);
    const request = await signedRequest(chain, forwarder, alice, { to: probe.address, data });
    await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect([await nonceOf(alice.address), await nonceOf(probe.address)]).toEqual([1n, 10n]);
  });
});

describe('a request to the forwarder itself', () => {
  it('can submit a request of another signer, which counts as that signer’s own', async () => {
    const inner = await signedRequest(chain, forwarder, bob, { ...recordCall(), gas: 200_000n });
    const data = callData(forwarder, 'execute', inner);
    const outer = await signedRequest(chain, forwarder, alice, { to: forwarder.address, data });
    await mustWrite(chain, relayer.address, forwarder, 'execute', outer);
    expect(await probed('sender')).toBe(bob.address);
    expect([await nonceOf(alice.address), await nonceOf(bob.address)]).toEqual([1n, 1n]);
  });

  it('cannot submit itself or forge a signature', async () => {
    const [request, signature] = await signedRequest(chain, forwarder, alice, recordCall());
    const data = callData(forwarder, 'execute', [{ ...request, from: bob.address }, signature]);
    const outer = await signedRequest(chain, forwarder, alice, { to: forwarder.address, data });
    const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', outer);
    const reason = encodeErrorResult({
      abi: forwarder.abi,
      errorName: 'ForwarderInvalidSignature',
      args: [bob.address],
    });
    expect(eventsOf(forwarder, receipt)).toEqual([executed(0n, false, reason, forwarder.address)]);
    expect(await nonceOf(bob.address)).toBe(0n);
  });
});

describe('a call that fails', () => {
  it('is reported with its reason, and the transaction still succeeds', async () => {
    const request = await signedRequest(chain, forwarder, alice, failCall(77n));
    const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(eventsOf(forwarder, receipt)).toEqual([executed(0n, false, probeFailed(77n))]);
    expect(await nonceOf(alice.address)).toBe(1n);
  });

  it('can be detected in a simulation before anything is sent', async () => {
    const request = await signedRequest(chain, forwarder, alice, failCall(77n));
    const { result } = await chain.client.simulateContract({
      ...forwarder,
      functionName: 'execute',
      args: request,
      account: relayer.address,
    });
    expect(result).toEqual([false, probeFailed(77n)]);
  });

  it.each([0, 1, 31, 32, 33, 511, 512, 513, 20_000])(
    'with a reason of %s bytes is reported with at most 512 of them',
    async (size) => {
      const data = callData(probe, 'failWith', [BigInt(size)]);
      const request = await signedRequest(chain, forwarder, alice, { to: probe.address, data, gas: 6_000_000n });
      const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', request);
      const reason: Hex = `0x${'ab'.repeat(Math.min(size, 512))}`;
      expect(eventsOf(forwarder, receipt)).toEqual([executed(0n, false, reason)]);
    },
  );

  it('because its receiver is locked at that moment uses the request, whoever submitted it', async () => {
    const receiver = await chain.deploy(fixture('GuardedReceiver'), []);
    const token = await deployCollection();
    const mint = { to: token.address, data: callData(token, 'mint', [receiver.address, 7n]) };
    const request = await signedRequest(chain, forwarder, issuer, mint);
    const data = callData(forwarder, 'execute', request);
    await mustWrite(chain, bob.address, receiver, 'runLocked', [forwarder.address, data]);
    expect(await nonceOf(issuer.address)).toBe(1n);
    expect(await revertOf(chain, alice.address, token, 'ownerOf', [7n])).toBe('ERC721NonexistentToken(7)');
    // It is executed when it is signed again.
    const again = await signedRequest(chain, forwarder, issuer, mint);
    await mustWrite(chain, relayer.address, forwarder, 'execute', again);
    expect(await chain.client.readContract({ ...token, functionName: 'ownerOf', args: [7n] })).toBe(receiver.address);
  });

  it('for lack of the signed gas is a failed call like any other', async () => {
    const data = callData(probe, 'exhaust', []);
    const request = await signedRequest(chain, forwarder, alice, { to: probe.address, data, gas: 100_000n });
    const receipt = await mustWrite(chain, relayer.address, forwarder, 'execute', request);
    expect(eventsOf(forwarder, receipt)).toEqual([executed(0n, false, '0x')]);
  });
});

describe('coins', () => {
  it('are forwarded with the call', async () => {
    const request = await signedRequest(chain, forwarder, alice, { ...recordCall(), value: 5n });
    const receipt = await write(chain, relayer.address, forwarder, 'execute', request, { value: 5n });
    expect(receipt.status).toBe('success');
    expect(await probed('valueSeen')).toBe(5n);
    expect(await chain.client.getBalance({ address: probe.address })).toBe(5n);
  });

  it('must be exactly those of the request', async () => {
    const request = await signedRequest(chain, forwarder, alice, { ...recordCall(), value: 5n });
    for (const value of [0n, 4n, 6n]) {
      expect(await revertOf(chain, relayer.address, forwarder, 'execute', request, { value })).toBe(
        `ForwarderValueMismatch(5,${value})`,
      );
    }
  });

  it('are returned to the relayer when the call fails, and none remain in the forwarder', async () => {
    const before = await chain.client.getBalance({ address: relayer.address });
    const request = await signedRequest(chain, forwarder, alice, { ...failCall(1n), value: 10n ** 18n });
    const receipt = await write(chain, relayer.address, forwarder, 'execute', request, { value: 10n ** 18n });
    expect(receipt.status).toBe('success');
    const fee = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(await chain.client.getBalance({ address: relayer.address })).toBe(before - fee);
    expect(await chain.client.getBalance({ address: forwarder.address })).toBe(0n);
  });

  it('of a failed call that the relayer does not accept back revert the transaction, and the request stays valid', async () => {
    const stubborn = await chain.deploy(fixture('StubbornRelayer'), []);
    const withForwarderErrors = { address: stubborn.address, abi: [...stubborn.abi, ...forwarder.abi] };
    const request = await signedRequest(chain, forwarder, alice, { ...failCall(1n), value: 5n });
    const data = callData(forwarder, 'execute', request);
    expect(
      await revertOf(chain, relayer.address, withForwarderErrors, 'relay', [forwarder.address, data], { value: 5n }),
    ).toBe(`ForwarderRefundFailed(${stubborn.address})`);
    expect(await nonceOf(alice.address)).toBe(0n);
  });

  it('are not accepted without a request', async () => {
    expect((await chain.send({ from: relayer.address, to: forwarder.address, value: 1n })).status).toBe('reverted');
  });
});

/** The lowest gas limit with which the forwarder accepts a call, found by bisection. */
const leastGas = async (data: Hex, value: bigint): Promise<bigint> => {
  const accepted = (gas: bigint): Promise<boolean> =>
    chain.client.call({ account: relayer.address, to: forwarder.address, data, value, gas }).then(
      () => true,
      () => false,
    );
  let low = 21_000n;
  let high = 8_000_000n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (await accepted(middle)) high = middle;
    else low = middle;
  }
  return high;
};

describe('gas', () => {
  it.each([
    [0n, 100_000n],
    [0n, 500_000n],
    [0n, 5_000_000n],
    [5n, 500_000n],
  ])(
    'with %s coins and %s gas signed: the call gets all of it from any relayer who is not refused',
    async (value, gas) => {
      const request = await signedRequest(chain, forwarder, alice, { ...recordCall(), value, gas });
      const limit = await leastGas(callData(forwarder, 'execute', request), value);
      const receipt = await write(chain, relayer.address, forwarder, 'execute', request, { value, gas: limit });
      expect(receipt.status).toBe('success');
      // The gas that the probe uses before it measures: the function dispatch.
      expect(await probed('gasAtStart')).toBeGreaterThan(gas - 400n);
    },
  );

  it('is limited to the signed amount, however much the relayer provides', async () => {
    const request = await signedRequest(chain, forwarder, alice, { ...recordCall(), gas: 100_000n });
    const receipt = await write(chain, relayer.address, forwarder, 'execute', request, { gas: 8_000_000n });
    expect(receipt.status).toBe('success');
    expect(await probed('gasAtStart')).toBeLessThan(100_000n);
  });

  it('is the reported reason when the relayer provides too little, and the request stays valid', async () => {
    const request = await signedRequest(chain, forwarder, alice, recordCall());
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', request, { gas: 300_000n })).toBe(
      'ForwarderInsufficientGas(500000)',
    );
    const starved = await write(chain, relayer.address, forwarder, 'execute', request, { gas: 300_000n });
    expect(starved.status).toBe('reverted');
    expect(await nonceOf(alice.address)).toBe(0n);
    await mustWrite(chain, relayer.address, forwarder, 'execute', request);
  });

  it('signed for above every limit is refused', async () => {
    const request = await signedRequest(chain, forwarder, alice, { ...recordCall(), gas: 2n ** 256n - 1n });
    expect(await revertOf(chain, relayer.address, forwarder, 'execute', request)).toBe(
      `ForwarderInsufficientGas(${2n ** 256n - 1n})`,
    );
  });

  it('cannot be limited so that an inner call fails: no gas limit makes a valid request fail', async () => {
    const receiver = await chain.deploy(fixture('BusyReceiver'), [1_000n]);
    const token = await deployCollection();
    const request = await signedRequest(chain, forwarder, issuer, {
      to: token.address,
      data: callData(token, 'mint', [receiver.address, 7n]),
    });
    const data = callData(forwarder, 'execute', request);
    let refused = 0;
    let carriedOut = 0;
    for (let gas = 100_000n; gas <= 900_000n; gas += 10_000n) {
      try {
        const { result } = await chain.client.simulateContract({
          ...forwarder,
          functionName: 'execute',
          args: request,
          account: relayer.address,
          gas,
        });
        expect([gas, result]).toEqual([gas, [true, '0x']]);
        carriedOut += 1;
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ContractFunctionExecutionError') throw error;
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(10);
    expect(carriedOut).toBeGreaterThan(10);
    // A node's estimate is a sufficient limit.
    const estimate = await chain.client.estimateGas({ account: relayer.address, to: forwarder.address, data });
    const receipt = await write(chain, relayer.address, forwarder, 'execute', request, { gas: estimate });
    expect(eventsOf(forwarder, receipt)).toEqual([`Executed(${issuer.address},${token.address},0,true,0x)`]);
  });
});
