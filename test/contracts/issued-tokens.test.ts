import { type Address, type Hex, concat, encodeFunctionData, toFunctionSelector, zeroAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Contract, constructorRevertOf, eventsOf, mustWrite, revertOf, write } from './support/contract-calls.ts';
import { signedRequest } from './support/forward-request.ts';
import { startTokenHolders } from './support/token-holders.ts';
import { baseUri, heldUnits, tokenKinds } from './support/token-kinds.ts';

const ownableUnauthorizedAccount = toFunctionSelector('OwnableUnauthorizedAccount(address)');

const { chain, fixture, forwarder, issuer, alice, outsider } = await startTokenHolders();
afterAll(() => chain.stop());

const deployReceiver = () => chain.deploy(fixture('ReentrantReceiver'), []);

describe.each(tokenKinds)('$name', (kind) => {
  let token: Contract;

  beforeEach(async () => {
    token = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, forwarder.address));
  });

  const read = (functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    chain.client.readContract({ ...token, functionName, args });

  const held = (holder: Address, id: bigint): Promise<bigint> => heldUnits(chain, kind, token, holder, id);

  const encode = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: token.abi, functionName, args });

  /** Relays a call and returns the result that the forwarder reports. */
  const relay = async (
    signer: PrivateKeyAccount,
    functionName: string,
    args: readonly unknown[],
  ): Promise<string[]> => {
    const data = encode(functionName, args);
    const request = await signedRequest(chain, forwarder, signer, { to: token.address, data });
    return eventsOf(forwarder, await mustWrite(chain, outsider.address, forwarder, 'execute', request));
  };

  describe('identity', () => {
    it('has the name, symbol and owner of its constructor, whoever deploys it', async () => {
      expect(await Promise.all([read('name'), read('symbol'), read('owner')])).toEqual([
        'Collection',
        'COLL',
        issuer.address,
      ]);
    });

    it('cannot be deployed without an owner', async () => {
      const args = kind.constructorArgs(zeroAddress, forwarder.address);
      expect(await constructorRevertOf(chain, kind.artifact, args)).toBe(`OwnableInvalidOwner(${zeroAddress})`);
      await expect(chain.deploy(kind.artifact, args)).rejects.toThrow('reverted');
    });

    it('reports exactly the interfaces that it implements', async () => {
      const ids = {
        '0x01ffc9a7': true, // ERC-165
        '0xffffffff': false,
        '0x80ac58cd': kind.isErc721, // ERC-721
        '0x5b5e139f': kind.isErc721, // ERC-721 metadata
        '0x780e9d63': false, // ERC-721 enumerable
        '0xd9b67a26': !kind.isErc721, // ERC-1155
        '0x0e89341c': !kind.isErc721, // ERC-1155 metadata URI
        '0x2a55205a': !kind.isCertificate, // ERC-2981
        '0x49064906': kind.isErc721 && !kind.isCertificate, // ERC-4906
        '0xb45a3c0e': kind.isErc721 && kind.isCertificate, // ERC-5192
        '0x0489b56f': kind.isErc721 && kind.isCertificate, // ERC-5484
      };
      const answers = await Promise.all(
        Object.keys(ids).map(async (id) => [id, await read('supportsInterface', [id])] as const),
      );
      expect(Object.fromEntries(answers)).toEqual(ids);
    });

    it('trusts its forwarder and nobody else', async () => {
      expect(await read('trustedForwarder')).toBe(forwarder.address);
      expect(await read('isTrustedForwarder', [forwarder.address])).toBe(true);
      expect(await read('isTrustedForwarder', [issuer.address])).toBe(false);
      expect(await read('isTrustedForwarder', [zeroAddress])).toBe(false);
    });

    it('trusts nobody, not even the zero address, when deployed without a forwarder', async () => {
      token = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, zeroAddress));
      expect(await read('isTrustedForwarder', [forwarder.address])).toBe(false);
      expect(await read('isTrustedForwarder', [zeroAddress])).toBe(false);
    });
  });

  const deployWithBase = (base: string): Promise<Contract> => {
    const args = kind.constructorArgs(issuer.address, forwarder.address);
    return chain.deploy(kind.artifact, args.with(args.indexOf(baseUri), base));
  };

  describe('metadata of the collection (ERC-7572)', () => {
    it.each([
      ['https://b.example', 'https://b.example/'],
      ['https://b.example///', 'https://b.example/'],
      ['ipfs://', 'ipfs://'],
    ])('is under the base URI, %s, at the lower-case address', async (base, prefix) => {
      token = await deployWithBase(base);
      expect(await read('contractURI')).toBe(`${prefix}${token.address.toLowerCase()}`);
    });

    it('is nowhere without a base URI', async () => {
      token = await deployWithBase('');
      expect(await revertOf(chain, alice.address, token, 'contractURI', [])).toBe('CollectionURINotSet()');
    });

    it('is announced as changed by the owner, directly or relayed, and by nobody else', async () => {
      const receipt = await mustWrite(chain, issuer.address, token, 'notifyContractURIUpdate', []);
      expect(eventsOf(token, receipt)).toEqual(['ContractURIUpdated()']);
      expect((await relay(issuer, 'notifyContractURIUpdate', []))[0]).toMatch(/,true,0x\)$/u);
      expect((await relay(alice, 'notifyContractURIUpdate', []))[0]).toContain(`,false,${ownableUnauthorizedAccount}`);
      expect(await revertOf(chain, outsider.address, token, 'notifyContractURIUpdate', [])).toBe(
        `OwnableUnauthorizedAccount(${outsider.address})`,
      );
    });
  });

  describe('minting', () => {
    it('gives a new token to the receiver and emits one transfer event from the zero address', async () => {
      const receipt = await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      const transfer = kind.isErc721
        ? `Transfer(${zeroAddress},${alice.address},7)`
        : `TransferSingle(${issuer.address},${zeroAddress},${alice.address},7,1)`;
      expect(eventsOf(token, receipt).filter((event) => event.startsWith('Transfer'))).toEqual([transfer]);
      expect(await held(alice.address, 7n)).toBe(1n);
    });

    it.each([0n, 1n, 2n ** 255n, 2n ** 256n - 1n])('accepts the token id %s', async (id) => {
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, id));
      expect(await held(alice.address, id)).toBe(1n);
    });

    it('is allowed only to the owner', async () => {
      expect(await revertOf(chain, outsider.address, token, 'mint', kind.mintArgs(outsider.address, 7n))).toBe(
        `OwnableUnauthorizedAccount(${outsider.address})`,
      );
    });

    it('to the zero address is refused', async () => {
      expect(await revertOf(chain, issuer.address, token, 'mint', kind.mintArgs(zeroAddress, 7n))).toMatch(
        /^ERC(721|1155)InvalidReceiver\(0x0{40}\)$/u,
      );
    });

    it('to a contract without support for the token standard is refused', async () => {
      const receiver = await chain.deploy(fixture('NoReceiver'), []);
      expect(await revertOf(chain, issuer.address, token, 'mint', kind.mintArgs(receiver.address, 7n))).toBe(
        `ERC${kind.isErc721 ? '721' : '1155'}InvalidReceiver(${receiver.address})`,
      );
    });

    it('reverts with the reason of a receiver that rejects it, and mints nothing', async () => {
      const receiver = await chain.deploy(fixture('RefusingReceiver'), []);
      const withItsErrors = { address: token.address, abi: [...token.abi, ...receiver.abi] };
      const args = kind.mintArgs(receiver.address, 7n);
      expect(await revertOf(chain, issuer.address, withItsErrors, 'mint', args)).toBe('ReceiverRefused()');
      expect((await write(chain, issuer.address, token, 'mint', args)).status).toBe('reverted');
      expect(await held(receiver.address, 7n)).toBe(0n);
    });
  });

  describe('the forwarder', () => {
    it('lets the owner mint without sending the transaction', async () => {
      const [executed] = await relay(issuer, 'mint', kind.mintArgs(alice.address, 7n));
      expect(executed).toMatch(/,true,0x\)$/u);
      expect(await held(alice.address, 7n)).toBe(1n);
    });

    it('does not let anyone else mint', async () => {
      const [executed] = await relay(alice, 'mint', kind.mintArgs(alice.address, 7n));
      expect(executed).toContain(`,false,${ownableUnauthorizedAccount}`);
      expect(executed?.toLowerCase()).toContain(alice.address.slice(2).toLowerCase());
      expect(await held(alice.address, 7n)).toBe(0n);
    });

    it('lets the holder burn without sending the transaction', async () => {
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      const [executed] = await relay(alice, 'burn', kind.burnArgs(alice.address, 7n));
      expect(executed).toMatch(/,true,0x\)$/u);
      expect(await held(alice.address, 7n)).toBe(0n);
    });

    it('is the only caller that can name another sender', async () => {
      const data = concat([encode('mint', kind.mintArgs(outsider.address, 7n)), issuer.address]);
      const receipt = await chain.send({ from: outsider.address, to: token.address, data });
      expect(receipt.status).toBe('reverted');
      expect(await held(outsider.address, 7n)).toBe(0n);
    });

    it('cannot name another sender to a contract that was deployed without one', async () => {
      token = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, zeroAddress));
      const data = concat([encode('mint', kind.mintArgs(alice.address, 7n)), issuer.address]);
      await expect(chain.client.call({ account: zeroAddress, to: token.address, data })).rejects.toThrow(
        ownableUnauthorizedAccount,
      );
    });
  });

  describe('ownership', () => {
    it('passes to a new owner, who can mint when the old one no longer can', async () => {
      await mustWrite(chain, issuer.address, token, 'transferOwnership', [alice.address]);
      expect(await read('owner')).toBe(alice.address);
      expect(await revertOf(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n))).toBe(
        `OwnableUnauthorizedAccount(${issuer.address})`,
      );
      await mustWrite(chain, alice.address, token, 'mint', kind.mintArgs(alice.address, 7n));
    });

    it('is transferred only by the owner, and not to the zero address', async () => {
      expect(await revertOf(chain, outsider.address, token, 'transferOwnership', [outsider.address])).toBe(
        `OwnableUnauthorizedAccount(${outsider.address})`,
      );
      expect(await revertOf(chain, issuer.address, token, 'transferOwnership', [zeroAddress])).toBe(
        `OwnableInvalidOwner(${zeroAddress})`,
      );
    });

    it('can be renounced, after which nobody can mint', async () => {
      expect(await revertOf(chain, outsider.address, token, 'renounceOwnership', [])).toBe(
        `OwnableUnauthorizedAccount(${outsider.address})`,
      );
      await mustWrite(chain, issuer.address, token, 'renounceOwnership', []);
      expect(await read('owner')).toBe(zeroAddress);
      expect(await revertOf(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n))).toBe(
        `OwnableUnauthorizedAccount(${issuer.address})`,
      );
    });
  });

  describe('burning', () => {
    beforeEach(async () => {
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
    });

    it('destroys the token of its holder', async () => {
      await mustWrite(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 7n));
      expect(await held(alice.address, 7n)).toBe(0n);
    });

    it('is refused to the owner of the contract and to other accounts', async () => {
      for (const caller of [issuer, outsider]) {
        expect(await revertOf(chain, caller.address, token, 'burn', kind.burnArgs(alice.address, 7n))).toMatch(
          kind.isErc721
            ? `ERC721InsufficientApproval(${caller.address},7)`
            : `ERC1155MissingApprovalForAll(${caller.address},${alice.address})`,
        );
      }
    });

    it('is refused for a token that does not exist', async () => {
      expect(await revertOf(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 8n))).toBe(
        kind.isErc721 ? 'ERC721NonexistentToken(8)' : `ERC1155InsufficientBalance(${alice.address},0,1,8)`,
      );
    });
  });

  describe('a receiver that calls back during the transfer', () => {
    it('cannot mint, since it is not the owner', async () => {
      const receiver = await deployReceiver();
      const inner = encode('mint', kind.mintArgs(receiver.address, 8n));
      await mustWrite(chain, outsider.address, receiver, 'prepare', [token.address, inner]);
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(receiver.address, 7n));
      expect(await chain.client.readContract({ ...receiver, functionName: 'called' })).toBe(true);
      expect(await chain.client.readContract({ ...receiver, functionName: 'succeeded' })).toBe(false);
      expect(await held(receiver.address, 7n)).toBe(1n);
      expect(await held(receiver.address, 8n)).toBe(0n);
    });

    it('sees the completed mint: even the owner cannot mint an ERC-721 id twice, and ERC-1155 units add up', async () => {
      const receiver = await deployReceiver();
      await mustWrite(chain, issuer.address, token, 'transferOwnership', [receiver.address]);
      const inner = encode('mint', kind.mintArgs(receiver.address, 7n));
      await mustWrite(chain, outsider.address, receiver, 'prepare', [token.address, inner]);
      await mustWrite(chain, outsider.address, receiver, 'run', [token.address, inner]);
      expect(await chain.client.readContract({ ...receiver, functionName: 'succeeded' })).toBe(!kind.isErc721);
      expect(await held(receiver.address, 7n)).toBe(kind.isErc721 ? 1n : 2n);
    });

    it('already holds the token, so it may burn it at once', async () => {
      const receiver = await deployReceiver();
      const inner = encode('burn', kind.burnArgs(receiver.address, 7n));
      await mustWrite(chain, outsider.address, receiver, 'prepare', [token.address, inner]);
      const receipt = await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(receiver.address, 7n));
      expect(await chain.client.readContract({ ...receiver, functionName: 'succeeded' })).toBe(true);
      expect(await held(receiver.address, 7n)).toBe(0n);
      const names = eventsOf(token, receipt).map((event) => event.slice(0, event.indexOf('(')));
      // The burn is emitted last, so that reading the events in order gives the final state.
      expect(names.at(-1)).toMatch(/^Transfer/u);
      expect(names.filter((name) => name === 'Locked')).toHaveLength(kind.isCertificate ? 1 : 0);
    });

    it(`${kind.isCertificate ? 'cannot' : 'may'} pass the token on at once`, async () => {
      const receiver = await deployReceiver();
      const inner = encode('safeTransferFrom', kind.transferArgs(receiver.address, alice.address, 7n));
      await mustWrite(chain, outsider.address, receiver, 'prepare', [token.address, inner]);
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(receiver.address, 7n));
      expect(await chain.client.readContract({ ...receiver, functionName: 'called' })).toBe(true);
      expect(await held(alice.address, 7n)).toBe(kind.isCertificate ? 0n : 1n);
      expect(await held(receiver.address, 7n)).toBe(kind.isCertificate ? 1n : 0n);
    });
  });
});

describe.each(tokenKinds.filter((kind) => !kind.isErc721))('$name', (kind) => {
  describe('burning zero units', () => {
    let token: Contract;

    beforeEach(async () => {
      token = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, forwarder.address));
    });

    it('is refused, since it would emit a transfer of nothing', async () => {
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      for (const [functionName, args, reason] of [
        ['burn', [alice.address, 7n, 0n], 'IssuanceZeroAmount(7)'],
        ['burnBatch', [alice.address, [7n, 8n], [1n, 0n]], 'IssuanceZeroAmount(8)'],
        ['burnBatch', [alice.address, [], []], 'IssuanceEmptyBatch()'],
      ] as const) {
        expect(await revertOf(chain, alice.address, token, functionName, args)).toBe(reason);
      }
    });

    it('is not the reported reason for a batch with mismatched lengths', async () => {
      const args = [alice.address, [7n], []];
      expect(await revertOf(chain, alice.address, token, 'burnBatch', args)).toBe('ERC1155InvalidArrayLength(1,0)');
    });
  });
});
