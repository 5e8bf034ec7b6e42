import { encodeFunctionData, maxUint256, parseAbi, zeroAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Item, gasLimitOf, mintData, mintManyData, storageOf } from './support/batches.ts';
import { type Contract, eventsOf, mustWrite, revertOf } from './support/contract-calls.ts';
import { signedRequest } from './support/forward-request.ts';
import { startTokenHolders } from './support/token-holders.ts';
import { baseUri, certificateHash, certificateUri, derivedUri, tokenKinds } from './support/token-kinds.ts';

const { chain, forwarder, issuer, alice, bob, outsider } = await startTokenHolders();
afterAll(() => chain.stop());

/** URIs of token 7, given the one that the contract derives. */
const uris: readonly (readonly [what: string, uri: (derived: string) => string])[] = [
  ['the derived one', (derived) => derived],
  [
    'with the address in other case',
    (derived) => derived.replace(/0x\w+/, (address) => `0x${address.slice(2).toUpperCase()}`),
  ],
  ['with a leading zero of the id', (derived) => derived.replace(/7$/, '07')],
  ['with the id in hexadecimal', (derived) => derived.replace(/7$/, `${'0'.repeat(63)}7`)],
  ['of another token', (derived) => derived.replace(/7$/, '8')],
  ['with more after the id', (derived) => `${derived}?a=1`],
  ['with a slash after the id', (derived) => `${derived}/`],
  ['that ends before the id', (derived) => derived.slice(0, -1)],
  ['that ends before the last slash', (derived) => derived.slice(0, -2)],
  ['with another scheme', (derived) => derived.replace('https', 'http')],
  ['with a last byte of zero', (derived) => `${derived}\0`],
  ['of a single byte', () => '7'],
  ['of zeros', () => '\0'.repeat(40)],
  ...[31, 32, 33, 64, 96, 2_000].map((length) => [`of ${length} bytes`, () => 'x'.repeat(length)] as const),
  ['of other letters', () => 'https://例え.example/é€𝄞'],
];

describe.each(tokenKinds.filter((kind) => kind.isCertificate))('$name', (kind) => {
  let token: Contract;

  const deploy = (base = baseUri): Promise<Contract> => {
    const args = kind.constructorArgs(issuer.address, forwarder.address);
    return chain.deploy(kind.artifact, args.with(args.indexOf(baseUri), base));
  };

  beforeEach(async () => {
    token = await deploy();
  });

  const read = (functionName: string, id: bigint): Promise<unknown> =>
    chain.client.readContract({ ...token, functionName, args: [id] });
  const uriOf = (id: bigint) => read(kind.isErc721 ? 'tokenURI' : 'uri', id);

  const item = (fields: Partial<Item> = {}): Item => ({
    to: alice.address,
    id: 7n,
    amount: 1n,
    uri: derivedUri(token, fields.id ?? 7n),
    hash: certificateHash,
    ...fields,
  });

  async function mint(fields: Partial<Item> = {}, by: PrivateKeyAccount = issuer): Promise<void> {
    const { status } = await chain.send({ from: by.address, to: token.address, data: mintData(kind, item(fields)) });
    expect(status).toBe('success');
  }

  async function refusesMint(fields: Partial<Item>): Promise<void> {
    const { to, id, amount, uri, hash } = item(fields);
    const args = kind.isErc721 ? [to, id, uri, hash] : [to, id, amount, uri, hash];
    expect(await revertOf(chain, issuer.address, token, 'mint', args)).toBe(`CertificateRecordMismatch(${id})`);
  }

  const burn = () => mustWrite(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 7n));
  const handOver = (from: PrivateKeyAccount, to: PrivateKeyAccount) =>
    mustWrite(chain, from.address, token, 'transferOwnership', [to.address]);

  describe('answers with the URI of the mint, byte for byte and for good,', () => {
    it.each(uris)('%s', async (_, of) => {
      const uri = of(derivedUri(token, 7n));
      await mint({ uri });
      expect(await uriOf(7n)).toBe(uri);
      await handOver(issuer, bob);
      expect(await uriOf(7n)).toBe(uri);
      await burn();
      await mint({ uri }, bob);
      expect(await uriOf(7n)).toBe(uri);
    });

    it.each(uris)('%s, and accepts no other one for the id', async (_, of) => {
      const uri = of(derivedUri(token, 7n));
      await mint({ uri });
      await burn();
      const others = [
        ...uris.map(([, other]) => other(derivedUri(token, 7n))),
        `${uri}x`,
        `x${uri.slice(1)}`,
        `${uri}\0`,
      ];
      for (const other of others) if (other !== uri) await refusesMint({ uri: other });
      await mint({ uri });
      expect(await uriOf(7n)).toBe(uri);
    });

    it.each([0n, 10n, maxUint256])('the derived one of the token id %s', async (id) => {
      await mint({ id });
      expect(await uriOf(id)).toBe(derivedUri(token, id));
    });

    it('the derived one of a base that is only a scheme', async () => {
      token = await deploy('ipfs://');
      const uri = `ipfs://${token.address.toLowerCase()}/7`;
      await mint({ uri });
      expect(await uriOf(7n)).toBe(uri);
    });

    it('of a contract without a base: any', async () => {
      token = await deploy('');
      for (const [index, uri] of ['7', `/${token.address.toLowerCase()}/7`, certificateUri].entries()) {
        const id = BigInt(index) + 7n;
        await mint({ id, uri });
        expect(await uriOf(id)).toBe(uri);
      }
    });

    it('whatever its owner calls: no function changes the base', async () => {
      await mint();
      const abi = parseAbi(['function setBaseURI(string)']);
      const data = encodeFunctionData({ abi, args: ['https://evil.example'] });
      expect((await chain.send({ from: issuer.address, to: token.address, data })).status).toBe('reverted');
      const names = token.abi.flatMap((entry) =>
        entry.type === 'function' && !/view|pure/.test(entry.stateMutability) ? [entry.name] : [],
      );
      expect(names.filter((name) => /uri/i.test(name))).toEqual(['notifyContractURIUpdate']);
      await mustWrite(chain, issuer.address, token, 'notifyContractURIUpdate', []);
      expect(await uriOf(7n)).toBe(derivedUri(token, 7n));
    });
  });

  /** The slots that a mint fills. */
  async function slotsOf(mints: () => Promise<unknown>): Promise<number> {
    const before = await storageOf(chain, token);
    await mints();
    return (await storageOf(chain, token)).length - before.length;
  }

  describe('takes storage', () => {
    it.each(['alone', 'in a batch'])('for the hash alone if the URI is the derived one, minted %s', async (how) => {
      // Besides it the holder and its balance, or the balance and the supply.
      expect(await slotsOf(() => (how === 'alone' ? mint() : mintBatch([item()])))).toBe(3);
    });

    it('for the length and the words of any other URI', async () => {
      expect(await slotsOf(() => mint({ uri: 'x'.repeat(65) }))).toBe(3 + 1 + 3);
    });

    it('for an issuer who is not the first owner, in the slot of the length', async () => {
      await handOver(issuer, bob);
      expect(await slotsOf(() => mint({ to: bob.address }, bob))).toBe(3 + 1);
      expect(await slotsOf(() => mint({ id: 8n, uri: 'x'.repeat(65) }, bob))).toBe(3 + 1 + 3);
    });
  });

  async function mintBatch(items: readonly Item[], by = issuer): Promise<void> {
    const call = { from: by.address, to: token.address, data: mintManyData(kind, items), gas: gasLimitOf(kind, items) };
    expect((await chain.send(call)).status).toBe('success');
  }

  describe('names the issuer, who minted the id first,', () => {
    it('through hand-overs, also back to the first owner', async () => {
      await mint({ id: 1n });
      await handOver(issuer, bob);
      await mint({ id: 2n }, bob);
      await mint({ id: 3n, uri: certificateUri }, bob);
      await mintBatch([item({ id: 4n }), item({ id: 5n, uri: certificateUri })], bob);
      await handOver(bob, issuer);
      await mint({ id: 6n });
      await mustWrite(chain, issuer.address, token, 'renounceOwnership', []);
      const issuers = await Promise.all([1n, 2n, 3n, 4n, 5n, 6n].map((id) => read('issuerOf', id)));
      const { address: first } = issuer;
      expect(issuers).toEqual([first, bob.address, bob.address, bob.address, bob.address, first]);
    });

    it.each([
      ['the derived URI', undefined],
      ['another URI', certificateUri],
    ])('through mints of the id by a later owner, with %s', async (_, uri) => {
      const fields = uri === undefined ? {} : { uri };
      await mint(fields);
      await burn();
      await handOver(issuer, bob);
      await mint(fields, bob);
      expect(await read('issuerOf', 7n)).toBe(issuer.address);
      await mint({ ...fields, id: 8n, uri: uri ?? derivedUri(token, 8n) }, bob);
      await mustWrite(chain, alice.address, token, 'burn', kind.burnArgs(alice.address, 8n));
      await handOver(bob, issuer);
      await mintBatch([item({ ...fields, id: 8n, uri: uri ?? derivedUri(token, 8n) })]);
      expect(await read('issuerOf', 8n)).toBe(bob.address);
    });

    it('not who relayed it', async () => {
      await handOver(issuer, bob);
      for (const [id, data] of [
        [7n, mintData(kind, item())],
        [8n, mintManyData(kind, [item({ id: 8n })])],
      ] as const) {
        const request = await signedRequest(chain, forwarder, bob, { to: token.address, data });
        const receipt = await mustWrite(chain, outsider.address, forwarder, 'execute', request);
        expect(eventsOf(forwarder, receipt)[0]).toContain(',true,0x');
        expect(await read('issuerOf', id)).toBe(bob.address);
      }
    });

    it('while the certificate exists', async () => {
      const missing = kind.isErc721 ? 'ERC721NonexistentToken(7)' : 'CertificateNonexistent(7)';
      expect(await revertOf(chain, zeroAddress, token, 'issuerOf', [7n])).toBe(missing);
      await mint();
      await burn();
      expect(await revertOf(chain, zeroAddress, token, 'issuerOf', [7n])).toBe(missing);
    });
  });
});
