import { maxUint256, zeroAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { type EphemeralChain, startEphemeralChain } from '../../scripts/contracts/ephemeral-chain.ts';
import { type Contract, constructorRevertOf, eventsOf, mustWrite, revertOf } from './support/contract-calls.ts';
import { tokenKinds } from './support/token-kinds.ts';

let chain: EphemeralChain;
let issuer: PrivateKeyAccount;
let alice: PrivateKeyAccount;

beforeAll(async () => {
  chain = await startEphemeralChain();
  issuer = await chain.account('issuer');
  alice = await chain.account('alice');
});

afterAll(() => chain.stop());

/** The constructor arguments that these tests vary. */
type Options = { base?: string; receiver?: string; feeBps?: bigint };

const constructorArgs = (options: Options) => [
  'Collection',
  'COLL',
  issuer.address,
  zeroAddress,
  options.base ?? '',
  options.receiver ?? issuer.address,
  options.feeBps ?? 0n,
];

const read = (token: Contract, functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
  chain.client.readContract({ ...token, functionName, args });

describe.each(tokenKinds.filter((kind) => !kind.isCertificate))('$name', (kind) => {
  const deploy = (options: Options): Promise<Contract> => chain.deploy(kind.artifact, constructorArgs(options));

  const uriFunction = kind.isErc721 ? 'tokenURI' : 'uri';
  const uriOf = (token: Contract, id: bigint) => read(token, uriFunction, [id]);
  const uriEnd = (id: bigint) => (kind.isErc721 ? String(id) : '{id}');

  describe('token URI', () => {
    it.each([
      ['https://nft.example.com/metadata', 'without a slash at its end'],
      ['https://nft.example.com/metadata/', 'with one'],
      ['https://nft.example.com/metadata///', 'with several'],
    ])('joins a base (%s, %s) with the lower-case contract address and the token by single slashes', async (base) => {
      const token = await deploy({ base });
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      const prefix = `https://nft.example.com/metadata/${token.address.toLowerCase()}`;
      expect(await uriOf(token, 7n)).toBe(`${prefix}/${uriEnd(7n)}`);
      expect(await read(token, 'baseURI')).toBe('https://nft.example.com/metadata');
    });

    it.each([
      ['ipfs://', 'ipfs://'],
      ['ipfs:///', 'ipfs://'],
      ['ipfs://cid/', 'ipfs://cid'],
      ['ar:/', 'ar:'],
      ['//', ''],
    ])('keeps the slashes of a base that is only a scheme: %s is stored as %s', async (base, stored) => {
      const token = await deploy({ base });
      expect(await read(token, 'baseURI')).toBe(stored);
    });

    it('follows the two slashes of a scheme without a third', async () => {
      const token = await deploy({ base: 'ipfs://' });
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      expect(await uriOf(token, 7n)).toBe(`ipfs://${token.address.toLowerCase()}/${uriEnd(7n)}`);
    });

    it.each([0n, maxUint256])('is correct for the token id %s', async (id) => {
      const token = await deploy({ base: 'https://b.example' });
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, id));
      expect(await uriOf(token, id)).toBe(`https://b.example/${token.address.toLowerCase()}/${uriEnd(id)}`);
    });

    it.each(['', '/'])('reverts with a named error when the base URI is "%s"', async (base) => {
      const token = await deploy({ base });
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      expect(await revertOf(chain, alice.address, token, uriFunction, [7n])).toBe('CollectionURINotSet()');
    });
  });

  describe('setBaseURI', () => {
    it('changes the base for all tokens and for the collection, and emits both', async () => {
      const token = await deploy({ base: 'https://old.example' });
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      const receipt = await mustWrite(chain, issuer.address, token, 'setBaseURI', ['https://new.example/']);
      expect(eventsOf(token, receipt)).toEqual([`BatchMetadataUpdate(0,${maxUint256})`, 'ContractURIUpdated()']);
      expect(await uriOf(token, 7n)).toBe(`https://new.example/${token.address.toLowerCase()}/${uriEnd(7n)}`);
      expect(await read(token, 'contractURI')).toBe(`https://new.example/${token.address.toLowerCase()}`);
    });

    it('can remove the URI', async () => {
      const token = await deploy({ base: 'https://old.example/a/long/base/of/more/than/thirty-one/characters' });
      await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, 7n));
      await mustWrite(chain, issuer.address, token, 'setBaseURI', ['']);
      expect(await read(token, 'baseURI')).toBe('');
      expect(await revertOf(chain, alice.address, token, uriFunction, [7n])).toBe('CollectionURINotSet()');
    });

    it('is allowed only to the owner', async () => {
      const token = await deploy({});
      expect(await revertOf(chain, alice.address, token, 'setBaseURI', ['https://evil.example'])).toBe(
        `OwnableUnauthorizedAccount(${alice.address})`,
      );
    });
  });

  describe('notifyMetadataUpdate', () => {
    it.each(['', 'https://b.example'])(
      'emits the event for one token, of ERC-1155 also its URI if it has one (base "%s")',
      async (base) => {
        const token = await deploy({ base });
        await mustWrite(chain, issuer.address, token, 'mint', kind.mintArgs(alice.address, maxUint256));
        const receipt = await mustWrite(chain, issuer.address, token, 'notifyMetadataUpdate', [maxUint256]);
        const uri =
          kind.isErc721 || base === '' ? [] : [`URI(${String(await uriOf(token, maxUint256))},${maxUint256})`];
        expect(eventsOf(token, receipt)).toEqual([`MetadataUpdate(${maxUint256})`, ...uri]);
      },
    );

    it('is allowed only to the owner', async () => {
      const token = await deploy({});
      expect(await revertOf(chain, alice.address, token, 'notifyMetadataUpdate', [7n])).toBe(
        `OwnableUnauthorizedAccount(${alice.address})`,
      );
    });
  });

  describe('royalties', () => {
    it.each([
      [0n, 10_000n, 0n],
      [250n, 10_000n, 250n],
      [250n, 39n, 0n], // rounded down
      [10_000n, 12_345n, 12_345n],
    ])('of %s basis points on a price of %s are %s, for any id', async (feeBps, price, royalty) => {
      const token = await deploy({ receiver: alice.address, feeBps });
      expect(await read(token, 'royaltyInfo', [99n, price])).toEqual([alice.address, royalty]);
    });

    it('above the price cannot be deployed', async () => {
      expect(await constructorRevertOf(chain, kind.artifact, constructorArgs({ feeBps: 10_001n }))).toBe(
        'ERC2981InvalidDefaultRoyalty(10001,10000)',
      );
      await expect(deploy({ feeBps: 10_001n })).rejects.toThrow('reverted');
    });

    it('without a receiver cannot be deployed', async () => {
      expect(await constructorRevertOf(chain, kind.artifact, constructorArgs({ receiver: zeroAddress }))).toBe(
        `ERC2981InvalidDefaultRoyaltyReceiver(${zeroAddress})`,
      );
      await expect(deploy({ receiver: zeroAddress })).rejects.toThrow('reverted');
    });
  });
});

it('the URI of an ERC-721 token that does not exist is an error, and that of any ERC-1155 id is the common one', async () => {
  const args = constructorArgs({ base: 'https://b.example' });
  const erc721 = await chain.deploy(standard721, args);
  const erc1155 = await chain.deploy(standard1155, args);
  expect(await revertOf(chain, alice.address, erc721, 'tokenURI', [7n])).toBe('ERC721NonexistentToken(7)');
  expect(await read(erc1155, 'uri', [7n])).toBe(`https://b.example/${erc1155.address.toLowerCase()}/{id}`);
});
