import { type Hex, encodeDeployData, encodeFunctionData, sha256, stringToHex, zeroAddress, zeroHash } from 'viem';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { type Contract, eventsOf, mustWrite, revertOf } from './support/contract-calls.ts';
import { signedRequest } from './support/forward-request.ts';
import { startTokenHolders } from './support/token-holders.ts';
import {
  BurnAuth,
  type TokenKind,
  certificateHash,
  certificateUri,
  heldUnits,
  tokenKinds,
} from './support/token-kinds.ts';

const { chain, fixture, forwarder, issuer, alice, bob, outsider } = await startTokenHolders();
afterAll(() => chain.stop());

const otherHash = sha256(stringToHex('{"name":"forged"}'));

/** Every way of the token standard to transfer token 7 of Alice. */
function movesOf(kind: TokenKind): (readonly [string, readonly unknown[]])[] {
  return kind.isErc721
    ? [
        ['transferFrom', [alice.address, bob.address, 7n]],
        ['safeTransferFrom', [alice.address, bob.address, 7n]],
        ['safeTransferFrom', [alice.address, bob.address, 7n, '0x']],
        ['transferFrom', [alice.address, alice.address, 7n]],
      ]
    : [
        ['safeTransferFrom', [alice.address, bob.address, 7n, 1n, '0x']],
        ['safeTransferFrom', [alice.address, alice.address, 7n, 1n, '0x']],
        ['safeBatchTransferFrom', [alice.address, bob.address, [7n], [1n], '0x']],
        ['safeBatchTransferFrom', [alice.address, bob.address, [], [], '0x']],
      ];
}

/** Every way to transfer token 9, which does not exist, from the zero address to Bob. */
function movesFromNobody(kind: TokenKind): (readonly [string, readonly unknown[]])[] {
  return kind.isErc721
    ? [
        ['transferFrom', [zeroAddress, bob.address, 9n]],
        ['safeTransferFrom', [zeroAddress, bob.address, 9n]],
      ]
    : [
        ['safeTransferFrom', [zeroAddress, bob.address, 9n, 1n, '0x']],
        ['safeBatchTransferFrom', [zeroAddress, bob.address, [9n], [1n], '0x']],
      ];
}

describe.each(tokenKinds.filter((kind) => kind.isCertificate))('$name', (kind) => {
  let token: Contract;

  beforeEach(async () => {
    token = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, forwarder.address));
  });

  const read = (functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    chain.client.readContract({ ...token, functionName, args });

  const uriFunction = kind.isErc721 ? 'tokenURI' : 'uri';

  const mintArgs = (to: string, id: bigint, uri: string, hash: Hex): readonly unknown[] =>
    kind.isErc721 ? [to, id, uri, hash] : [to, id, 1n, uri, hash];

  const missing = (id: bigint) => (kind.isErc721 ? `ERC721NonexistentToken(${id})` : `CertificateNonexistent(${id})`);

  const burn = (id: bigint, holder: string) => (kind.isErc721 ? [id] : [holder, id, 1n]);
  const revocation = (id: bigint, holder: string) => (kind.isErc721 ? [holder, id] : [holder, id, 1n]);
  const mintSeven = (to: string) =>
    mustWrite(chain, issuer.address, token, 'mint', mintArgs(to, 7n, certificateUri, certificateHash));
  const deployWith = async (burnAuth: number) => {
    const args = kind.constructorArgs(issuer.address, forwarder.address).slice(0, -1);
    token = await chain.deploy(kind.artifact, [...args, burnAuth]);
  };

  describe('who may burn it', () => {
    it.each(Object.entries(BurnAuth))('is fixed at deployment and readable: %s', async (_, burnAuth) => {
      await deployWith(burnAuth);
      expect(await revertOf(chain, alice.address, token, 'burnAuth', [7n])).toBe(missing(7n));
      const receipt = await mintSeven(alice.address);
      expect(await read('burnAuth', [7n])).toBe(burnAuth);
      const issued = `Issued(${issuer.address},${alice.address},7,${burnAuth})`;
      expect(eventsOf(token, receipt).includes(issued)).toBe(kind.isErc721);
    });

    it('is nobody else than ERC-5484 knows', async () => {
      const args = [...kind.constructorArgs(issuer.address, forwarder.address).slice(0, -1), 4];
      const data = encodeDeployData({ ...kind.artifact, args });
      await expect(chain.client.call({ data })).rejects.toThrow('revert');
    });

    it.each([
      ['issuer', false],
      ['holder', true],
      ['both', true],
      ['neither', false],
    ] as const)('of %s: the holder may burn: %s, directly or relayed, one or several at once', async (who, may) => {
      await deployWith(BurnAuth[who]);
      await mintSeven(alice.address);
      const calls: [string, readonly unknown[]][] = [['burn', burn(7n, alice.address)]];
      if (!kind.isErc721) calls.push(['burnBatch', [alice.address, [7n], [1n]]]);
      for (const [name, args] of calls) {
        const reason = await revertOf(chain, alice.address, token, name, args);
        expect([name, reason]).toEqual([name, may ? 'none' : 'CertificateBurnBlocked()']);
      }
    });

    it.each([
      ['issuer', true],
      ['holder', false],
      ['both', true],
      ['neither', false],
    ] as const)('of %s: the issuer may revoke: %s, and nobody else', async (who, may) => {
      await deployWith(BurnAuth[who]);
      await mintSeven(alice.address);
      const args = revocation(7n, alice.address);
      for (const other of [alice, outsider]) {
        expect(await revertOf(chain, other.address, token, 'revoke', args)).toMatch(/^OwnableUnauthorizedAccount/);
      }
      const reason = await revertOf(chain, issuer.address, token, 'revoke', args);
      expect(reason).toBe(may ? 'none' : 'CertificateRevocationBlocked()');
    });

    it('leaves a record of a revocation and its event: who and when; of ERC-721, until a later holder burns it', async () => {
      await deployWith(BurnAuth.both);
      await mintSeven(alice.address);
      expect(await read('revocationOf', [7n])).toEqual([zeroAddress, 0n]);
      const receipt = await mustWrite(chain, issuer.address, token, 'revoke', revocation(7n, alice.address));
      expect(eventsOf(token, receipt)).toContain(`CertificateRevoked(7,${alice.address},${issuer.address},1)`);
      expect(await heldUnits(chain, kind, token, alice.address, 7n)).toBe(0n);
      expect(await revertOf(chain, alice.address, token, 'getMetadataHash', [7n])).toBe(missing(7n));
      const { timestamp } = await chain.client.getBlock({ blockNumber: receipt.blockNumber });
      expect(await read('revocationOf', [7n])).toEqual([issuer.address, timestamp]);
      // It can be issued again, with its first document only, and then given up by its holder.
      const forged = mintArgs(bob.address, 7n, certificateUri, otherHash);
      expect(await revertOf(chain, issuer.address, token, 'mint', forged)).toMatch(/^CertificateRecordMismatch/);
      await mintSeven(bob.address);
      await mustWrite(chain, bob.address, token, 'burn', burn(7n, bob.address));
      // The units of an ERC-1155 id are many certificates, and the burn of one says nothing about another.
      expect(await read('revocationOf', [7n])).toEqual(kind.isErc721 ? [zeroAddress, 0n] : [issuer.address, timestamp]);
    });

    it('does not let the issuer revoke from anyone but its holder, or nothing', async () => {
      await deployWith(BurnAuth.issuer);
      await mintSeven(alice.address);
      const reason = await revertOf(chain, issuer.address, token, 'revoke', revocation(7n, bob.address));
      expect(reason).toMatch(kind.isErc721 ? /^ERC721IncorrectOwner/ : /^ERC1155InsufficientBalance/);
      const unknown = await revertOf(chain, issuer.address, token, 'revoke', revocation(8n, alice.address));
      expect(unknown).toMatch(kind.isErc721 ? /^ERC721NonexistentToken/ : /^ERC1155InsufficientBalance/);
      if (kind.isErc721) return;
      const none = await revertOf(chain, issuer.address, token, 'revoke', [alice.address, 7n, 0n]);
      expect(none).toMatch(/^IssuanceZeroAmount/);
    });
  });

  describe('its record', () => {
    it('contains the URI and the hash of the mint', async () => {
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 7n, certificateUri, certificateHash),
      );
      expect(await read(uriFunction, [7n])).toBe(certificateUri);
      expect(await read('getMetadataHash', [7n])).toBe(certificateHash);
    });

    it('is emitted by the first mint', async () => {
      const receipt = await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 7n, certificateUri, certificateHash),
      );
      expect(eventsOf(token, receipt)).toContain(`CertificateRecorded(7,${certificateHash})`);
    });

    it('requires a URI and a hash', async () => {
      expect(
        await revertOf(chain, issuer.address, token, 'mint', mintArgs(alice.address, 7n, '', certificateHash)),
      ).toBe('CertificateURIEmpty()');
      expect(
        await revertOf(chain, issuer.address, token, 'mint', mintArgs(alice.address, 7n, certificateUri, zeroHash)),
      ).toBe('CertificateHashZero()');
    });

    it('is unknown for an id that was never minted', async () => {
      for (const functionName of ['getMetadataHash', uriFunction, 'locked']) {
        expect(await revertOf(chain, alice.address, token, functionName, [7n])).toBe(missing(7n));
      }
    });

    it('is no longer available when the certificate is burned', async () => {
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 7n, certificateUri, certificateHash),
      );
      await mustWrite(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 7n));
      for (const functionName of ['getMetadataHash', uriFunction, 'locked']) {
        expect(await revertOf(chain, alice.address, token, functionName, [7n])).toBe(missing(7n));
      }
    });

    it.each([
      ['another URI', 'https://nft.example.com/forged.json', certificateHash],
      ['another hash', certificateUri, otherHash],
      ['another URI and hash', 'https://nft.example.com/forged.json', otherHash],
    ])('cannot be replaced after a burn by %s', async (_what, uri, hash) => {
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 7n, certificateUri, certificateHash),
      );
      await mustWrite(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 7n));
      expect(await revertOf(chain, issuer.address, token, 'mint', mintArgs(bob.address, 7n, uri, hash))).toBe(
        'CertificateRecordMismatch(7)',
      );
    });

    it('is the same when the certificate is reissued to a new wallet after a burn', async () => {
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 7n, certificateUri, certificateHash),
      );
      await mustWrite(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 7n));
      const receipt = await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(bob.address, 7n, certificateUri, certificateHash),
      );
      expect(eventsOf(token, receipt).filter((event) => /^(CertificateRecorded|URI)/u.test(event))).toEqual([]);
      expect(await read('getMetadataHash', [7n])).toBe(certificateHash);
      expect(await read(uriFunction, [7n])).toBe(certificateUri);
    });

    it('belongs to one id only', async () => {
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 7n, certificateUri, certificateHash),
      );
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 8n, 'https://b.example', otherHash),
      );
      expect(await read('getMetadataHash', [7n])).toBe(certificateHash);
      expect(await read('getMetadataHash', [8n])).toBe(otherHash);
    });

    it('exists when the receiving contract is called', async () => {
      const receiver = await chain.deploy(fixture('ReentrantReceiver'), []);
      const question = encodeFunctionData({ abi: token.abi, functionName: 'getMetadataHash', args: [7n] });
      await mustWrite(chain, outsider.address, receiver, 'prepare', [token.address, question]);
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(receiver.address, 7n, certificateUri, certificateHash),
      );
      expect(await chain.client.readContract({ ...receiver, functionName: 'result' })).toBe(certificateHash);
    });

    it('cannot be changed by royalties or a base URI', () => {
      const names = token.abi.flatMap((entry) => (entry.type === 'function' ? [entry.name] : []));
      expect(names).not.toContain('royaltyInfo');
      expect(names).not.toContain('setBaseURI');
    });
  });

  describe('its holder', () => {
    beforeEach(async () => {
      await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 7n, certificateUri, certificateHash),
      );
    });

    it('cannot be changed by anyone', async () => {
      for (const caller of [alice, issuer, outsider]) {
        // ERC-1155 first checks whether the caller is approved by Alice.
        const reason =
          kind.isErc721 || caller === alice
            ? 'CertificateNonTransferable()'
            : `ERC1155MissingApprovalForAll(${caller.address},${alice.address})`;
        for (const [functionName, args] of movesOf(kind)) {
          expect(await revertOf(chain, caller.address, token, functionName, args)).toBe(reason);
        }
      }
    });

    it('cannot be set by a transfer, not even in a simulation from the zero address', async () => {
      for (const caller of [zeroAddress, alice.address]) {
        for (const [functionName, args] of movesFromNobody(kind)) {
          expect(await revertOf(chain, caller, token, functionName, args)).not.toBe('none');
        }
      }
    });

    it('cannot be changed through the forwarder', async () => {
      for (const [functionName, args] of movesOf(kind)) {
        const data = encodeFunctionData({ abi: token.abi, functionName, args });
        const request = await signedRequest(chain, forwarder, alice, { to: token.address, data });
        const receipt = await mustWrite(chain, outsider.address, forwarder, 'execute', request);
        expect(eventsOf(token, receipt)).toEqual([]);
      }
      expect(await heldUnits(chain, kind, token, alice.address, 7n)).toBe(1n);
    });

    it('cannot approve anyone', async () => {
      for (const approved of [true, false]) {
        expect(await revertOf(chain, alice.address, token, 'setApprovalForAll', [bob.address, approved])).toBe(
          'CertificateApprovalBlocked()',
        );
      }
      expect(await read('isApprovedForAll', [alice.address, bob.address])).toBe(false);
    });

    it('can see that it is locked, by the function and by the event of its mint', async () => {
      expect(await read('locked', [7n])).toBe(true);
      const receipt = await mustWrite(
        chain,
        issuer.address,
        token,
        'mint',
        mintArgs(alice.address, 8n, certificateUri, certificateHash),
      );
      expect(eventsOf(token, receipt).filter((event) => event.startsWith('Locked'))).toEqual(['Locked(8)']);
    });
  });
});

describe('Certificate721', () => {
  let token: Contract<typeof certificate721.abi>;

  beforeEach(async () => {
    token = await chain.deploy(certificate721, [
      'Collection',
      'COLL',
      issuer.address,
      forwarder.address,
      '',
      BurnAuth.holder,
    ]);
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 7n, certificateUri, certificateHash]);
  });

  it('is not minted twice while it exists', async () => {
    const again = [bob.address, 7n, certificateUri, certificateHash] as const;
    expect(await revertOf(chain, issuer.address, token, 'mint', again)).toBe('CertificateAlreadyIssued(7)');
  });

  it('allows no approval for a token', async () => {
    expect(await revertOf(chain, alice.address, token, 'approve', [bob.address, 7n])).toBe(
      'CertificateApprovalBlocked()',
    );
    expect(await chain.client.readContract({ ...token, functionName: 'getApproved', args: [7n] })).toBe(zeroAddress);
  });
});

describe('Certificate1155', () => {
  let token: Contract<typeof certificate1155.abi>;

  beforeEach(async () => {
    token = await chain.deploy(certificate1155, [
      'Collection',
      'COLL',
      issuer.address,
      forwarder.address,
      '',
      BurnAuth.holder,
    ]);
  });

  const supply = (): Promise<bigint> =>
    chain.client.readContract({ ...token, functionName: 'totalSupply', args: [7n] });

  it('emits the URI of an id at its first mint, as ERC-1155 requires', async () => {
    const args = [alice.address, 7n, 1n, certificateUri, certificateHash] as const;
    const receipt = await mustWrite(chain, issuer.address, token, 'mint', args);
    expect(eventsOf(token, receipt)).toContain(`URI(${certificateUri},7)`);
  });

  it('counts its units', async () => {
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 7n, 3n, certificateUri, certificateHash]);
    await mustWrite(chain, issuer.address, token, 'mint', [bob.address, 7n, 4n, certificateUri, certificateHash]);
    expect(await supply()).toBe(7n);
    await mustWrite(chain, bob.address, token, 'burn', [bob.address, 7n, 3n]);
    await mustWrite(chain, alice.address, token, 'burnBatch', [alice.address, [7n, 7n], [1n, 1n]]);
    expect(await supply()).toBe(2n);
  });

  it('has one document for all units of an id: a later mint must have the same URI and hash', async () => {
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 7n, 1n, certificateUri, certificateHash]);
    await mustWrite(chain, issuer.address, token, 'mint', [bob.address, 7n, 1n, certificateUri, certificateHash]);
    for (const args of [
      [bob.address, 7n, 1n, 'https://nft.example.com/forged.json', certificateHash],
      [bob.address, 7n, 1n, certificateUri, otherHash],
    ] as const) {
      expect(await revertOf(chain, issuer.address, token, 'mint', args)).toBe('CertificateRecordMismatch(7)');
    }
  });

  it('keeps the document readable until the last unit is burned', async () => {
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 7n, 2n, certificateUri, certificateHash]);
    await mustWrite(chain, alice.address, token, 'burn', [alice.address, 7n, 1n]);
    expect(await chain.client.readContract({ ...token, functionName: 'getMetadataHash', args: [7n] })).toBe(
      certificateHash,
    );
    await mustWrite(chain, alice.address, token, 'burn', [alice.address, 7n, 1n]);
    expect(await revertOf(chain, alice.address, token, 'getMetadataHash', [7n])).toBe('CertificateNonexistent(7)');
  });

  it('keeps the record of the latest revocation, whoever burns units of the id later, one id or several at once', async () => {
    const both = [BurnAuth.both] as const;
    const revocable = await chain.deploy(certificate1155, ['C', 'C', issuer.address, forwarder.address, '', ...both]);
    const revocationOf = () => chain.client.readContract({ ...revocable, functionName: 'revocationOf', args: [7n] });
    for (const { address } of [alice, bob]) {
      const args = [address, 7n, 3n, certificateUri, certificateHash] as const;
      await mustWrite(chain, issuer.address, revocable, 'mint', args);
    }
    await mustWrite(chain, issuer.address, revocable, 'revoke', [alice.address, 7n, 2n]);
    const revocation = await revocationOf();
    expect(revocation[0]).toBe(issuer.address);
    await mustWrite(chain, bob.address, revocable, 'burn', [bob.address, 7n, 1n]);
    await mustWrite(chain, bob.address, revocable, 'burnBatch', [bob.address, [7n, 7n], [1n, 1n]]);
    await mustWrite(chain, alice.address, revocable, 'burn', [alice.address, 7n, 1n]);
    expect(await revocationOf()).toEqual(revocation);
    await mustWrite(chain, issuer.address, revocable, 'transferOwnership', [outsider.address]);
    const again = [alice.address, 7n, 1n, certificateUri, certificateHash] as const;
    await mustWrite(chain, outsider.address, revocable, 'mint', again);
    await mustWrite(chain, outsider.address, revocable, 'revoke', [alice.address, 7n, 1n]);
    expect((await revocationOf())[0]).toBe(outsider.address);
  });

  it('refuses to mint zero units', async () => {
    const none = [alice.address, 7n, 0n, certificateUri, certificateHash] as const;
    expect(await revertOf(chain, issuer.address, token, 'mint', none)).toBe('IssuanceZeroAmount(7)');
  });
});
