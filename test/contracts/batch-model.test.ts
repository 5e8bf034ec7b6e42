import * as fc from 'fast-check';
import { type Address, type Hex, type TransactionReceipt, maxUint256, zeroAddress, zeroHash } from 'viem';
import { afterAll, describe, expect, it } from 'vitest';
import { randomCases } from '../fixtures/random-cases.ts';
import {
  type Item,
  effectsOfCalls,
  gasLimitOf,
  mintData,
  mintManyData,
  mintedOf,
  receiversWithCode,
  undone,
} from './support/batches.ts';
import { type Contract, mustWrite, write } from './support/contract-calls.ts';
import { startTokenHolders } from './support/token-holders.ts';
import { type TokenKind, certificateHash, certificateUri, derivedUri, tokenKinds } from './support/token-kinds.ts';

/** The number of random batches of each kind of contract. */
const batches = 60;

/** An item before it is known for which contract: accounts, documents and hashes by number. */
const anyItem = fc.record({
  to: fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) }),
  id: fc.constantFrom(0n, 1n, 2n, 3n, maxUint256),
  amount: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(1n, 2n) },
    { weight: 1, arbitrary: fc.constantFrom(0n, maxUint256, maxUint256 - 1n, 2n ** 255n) },
  ),
  uri: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 1 }) }, { weight: 1, arbitrary: fc.nat({ max: 6 }) }),
  hash: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) }),
});

/** What happened to a contract, and a batch for it. */
const anyCase = fc.record({
  before: fc.array(anyItem, { maxLength: 5, size: 'max' }),
  burns: fc.array(fc.record({ holder: fc.nat({ max: 2 }), id: fc.constantFrom(0n, 1n, 2n, 3n) }), { maxLength: 2 }),
  isHandedOver: fc.boolean(),
  batch: fc.array(anyItem, { maxLength: 10, size: 'max' }),
});
type Case = typeof anyCase extends fc.Arbitrary<infer Value> ? Value : never;
type Choices = Case['batch'][number];

const hashes: readonly Hex[] = [certificateHash, `${zeroHash.slice(0, -1)}1` as Hex, zeroHash];

const world = await startTokenHolders();
afterAll(() => world.chain.stop());

const withCode = await receiversWithCode(world.chain, world.fixture);

function itemOf(token: Contract, { to, id, amount, uri, hash }: Choices): Item {
  const { alice, bob, outsider } = world;
  const derived = derivedUri(token, id);
  const uris = [
    derived,
    certificateUri,
    'ipfs://short',
    '',
    derived.replace('0x', '0X'),
    `${derived}0`,
    `${derived}?${'x'.repeat(70)}`,
  ];
  return {
    to: [alice.address, bob.address, outsider.address, zeroAddress, ...withCode][to]!,
    id,
    amount,
    uri: uris[uri]!,
    hash: hashes[hash]!,
  };
}

/** Brings a contract into the state in which a case's batch finds it. @returns its owner. */
async function prepare(kind: TokenKind, token: Contract, { before, burns, isHandedOver }: Case): Promise<Address> {
  const { chain, issuer, alice, bob, outsider } = world;
  for (const choices of before) {
    await chain.send({ from: issuer.address, to: token.address, data: mintData(kind, itemOf(token, choices)) });
  }
  for (const { holder, id } of burns) {
    const { address } = [alice, bob, outsider][holder]!;
    await write(chain, address, token, 'burn', kind.burnArgs(address, id));
  }
  if (isHandedOver) await mustWrite(chain, issuer.address, token, 'transferOwnership', [bob.address]);
  return isHandedOver ? bob.address : issuer.address;
}

describe.each(tokenKinds)('a batch of $name', (kind) => {
  it('does what single mints do, in any state, with their events byte for byte; it leaves out those that fail, and receivers with code', async () => {
    const { chain, issuer, forwarder } = world;
    const token: Contract = await chain.deploy(kind.artifact, kind.constructorArgs(issuer.address, forwarder.address));
    const seen = { minted: 0, skipped: 0 };

    const compare = async (owner: Address, items: readonly Item[]) => {
      const to = token.address;
      const succeeded: boolean[] = [];
      const alone = await effectsOfCalls(chain, token, async () => {
        const receipts: Pick<TransactionReceipt, 'logs'>[] = [];
        for (const item of items) {
          const receipt = withCode.includes(item.to)
            ? undefined
            : await chain.send({ from: owner, to, data: mintData(kind, item) });
          succeeded.push(receipt?.status === 'success');
          receipts.push(receipt ?? { logs: [] });
        }
        return receipts;
      });
      expect(await mintedOf(chain, kind, token, owner, items)).toEqual(succeeded);
      const together = await effectsOfCalls(chain, token, async () => {
        const data = mintManyData(kind, items);
        const receipt = await chain.send({ from: owner, to, data, gas: gasLimitOf(kind, items) });
        expect(receipt.status).toBe('success');
        return [receipt];
      });
      expect(together).toEqual(alone);
      for (const isMinted of succeeded) seen[isMinted ? 'minted' : 'skipped'] += 1;
    };

    await fc.assert(
      fc.asyncProperty(anyCase, (random) =>
        undone(chain, async () => {
          const owner = await prepare(kind, token, random);
          await compare(
            owner,
            random.batch.map((choices) => itemOf(token, choices)),
          );
        }),
      ),
      randomCases(batches),
    );
    // Cases that hardly mint or hardly skip would prove nothing.
    expect(Math.min(seen.minted, seen.skipped)).toBeGreaterThan(batches / 2);
  });
});
