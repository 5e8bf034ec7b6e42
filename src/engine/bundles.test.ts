import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { draftBundles, type SignableJob } from './bundles.ts';
import type { AnyOrderKind, Bundling } from './order-kind.ts';
import { gasOf } from './settle.ts';

interface Order {
  readonly contract: '0xc1' | '0xc2' | null;
  readonly mark: string;
  readonly isRepeatable: boolean;
}

const bundling: Bundling<Order> = {
  contract: ({ order }) => order.contract,
  isRepeatable: ({ order }) => order.isRepeatable,
  mark: ({ order }) => order.mark,
  baseGas: 20n,
  gas: () => 10n,
  calldata: () => '0x',
  split: () => [],
  carriedOut: () => undefined,
};
const CEILING = 1_000n;
const signer = privateKeyToAccount(generatePrivateKey());
let made = 0;

interface Fields {
  readonly account?: string;
  readonly earlierBundleId?: string | null;
  readonly id?: string;
  readonly ceiling?: bigint;
  readonly given?: Bundling<Order> | null;
}

/** An order of one contract, which any bundle of it may carry. */
function entry(
  order: Partial<Order> = {},
  { account = 'a', earlierBundleId = null, id = 'shared', ceiling = CEILING, given = bundling }: Fields = {},
): SignableJob {
  made += 1;
  const kind = { name: 'mint', bundling: given, gasCeiling: () => ceiling } as unknown as AnyOrderKind;
  const claim = {
    account: { id: account },
    order: { contract: '0xc1', mark: String(made), isRepeatable: false, ...order },
  };
  const job = { kind, claim, transaction: { id, earlierBundleId } } as unknown as SignableJob['job'];
  return { job, call: { to: '0xc1', data: '0x' }, signer };
}

function drafted(entries: readonly SignableJob[], gasLimit = 10_000n, maxFeePerGas = 1n, providers = 1) {
  const context = { services: { settings: {} }, chain: { rpc: { providers } } } as unknown as Parameters<
    typeof draftBundles
  >[0];
  const { bundles, alone } = draftBundles(context, entries, { gasLimit }, maxFeePerGas, ({ id }) => id === 'apart');
  const placesOf = (some: readonly SignableJob[]) => some.map((one) => entries.indexOf(one));
  return { bundles: bundles.map((bundle) => placesOf(bundle.entries)), alone: placesOf(alone) };
}

describe('orders that share a transaction', () => {
  it('are of one account and one contract', () => {
    const entries = [
      entry(),
      entry({ contract: '0xc2' }),
      entry(),
      entry({}, { account: 'b' }),
      entry({ contract: '0xc2' }),
      entry({}, { account: 'b' }),
    ];
    expect(drafted(entries)).toEqual({
      bundles: [
        [0, 2],
        [1, 4],
        [3, 5],
      ],
      alone: [],
    });
  });

  it('are at least two', () => {
    expect(drafted([entry(), entry({ contract: '0xc2' })])).toEqual({ bundles: [], alone: [0, 1] });
  });

  it('never have effects that a receipt cannot tell apart', () => {
    const same = { mark: 'same' };
    expect(drafted([entry(same), entry(same), entry(), entry(same), entry()])).toEqual({
      bundles: [[0, 2, 4]],
      alone: [1, 3],
    });
  });

  it('are none that was left out or could not be stored before, whose contract has no such call, or of another kind', () => {
    const others = [entry({}, { earlierBundleId: 'b' }), entry({ contract: null }), entry({}, { given: null })];
    const apart = entry({}, { id: 'apart' });
    expect(drafted([...others, apart, entry(), entry()])).toEqual({ bundles: [[4, 5]], alone: [0, 1, 2, 3] });
  });

  it('are none that can be done twice, if a single node says what was done', () => {
    const entries = [entry({ isRepeatable: true }), entry(), entry({ isRepeatable: true }), entry()];
    expect(drafted(entries)).toEqual({ bundles: [[1, 3]], alone: [0, 2] });
    expect(drafted(entries, undefined, undefined, 2)).toEqual({ bundles: [[0, 1, 2, 3]], alone: [] });
  });

  it('are none that may not use the gas that it would take alone', () => {
    expect(drafted([entry(), entry({}, { ceiling: 29n }), entry({}, { ceiling: 30n })])).toEqual({
      bundles: [[0, 2]],
      alone: [1],
    });
  });

  it.each<[string, bigint, bigint, Partial<Bundling<Order>>?]>([
    ['half a block', 100n, 1n],
    ["a node's cap on fees", 10_000n, 10n ** 18n / 100n],
    ['the most gas of a transaction (EIP-7825)', 10n ** 9n, 1n, { baseGas: 2n, gas: () => (2n ** 24n - 2n) / 3n }],
    ['half a block, where a node names no price,', 100n, 0n],
  ])('are as many as %s allows', (_, gasLimit, maxFeePerGas, costs = {}) => {
    const fields = { given: { ...bundling, ...costs }, ceiling: 2n ** 25n };
    const entries = Array.from({ length: 7 }, () => entry({}, fields));
    const expected = {
      bundles: [
        [0, 1, 2],
        [3, 4, 5],
      ],
      alone: [6],
    };
    expect(drafted(entries, gasLimit, maxFeePerGas)).toEqual(expected);
  });
});

it.each([1n, 2n, 100n, 5_110_007n])('the shares of %s gas are whole and sum to it', (gasUsed) => {
  const size = 7;
  const shares = Array.from({ length: size }, (_, place) => {
    const transaction = { bundlePlace: place, bundleSize: size } as Parameters<typeof gasOf>[0]['transaction'];
    return gasOf({ transaction } as Parameters<typeof gasOf>[0], { gasUsed });
  });
  expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(gasUsed);
  const [least, most] = [shares, shares].map((all, index) =>
    all.reduce((one, other) => (index === 0 ? (one < other ? one : other) : one > other ? one : other)),
  );
  expect(Number(most) - Number(least)).toBeLessThanOrEqual(1);
});
