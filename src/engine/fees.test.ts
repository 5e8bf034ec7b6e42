import { describe, expect, it } from 'vitest';
import { GWEI } from '../chains/definition.ts';
import { polygon } from '../chains/definitions/polygon.ts';
import { mainnet } from '../chains/definitions/avalanche.ts';
import { gasLimitFor, offerAt, replacementOf, type GasPrice } from './fees.ts';

const cap = { maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: 5n * GWEI };
const rules = { feeCap: cap, priceBumpPercent: 10 };

const at = (gwei: bigint, most?: bigint) => offerAt({ baseFee: gwei * GWEI, tip: GWEI }, rules, most)?.maxFeePerGas;

describe('an offer', () => {
  it('covers five full blocks in a row, each of which raises the base fee by an eighth', () => {
    const offer = offerAt({ baseFee: 25n * GWEI, tip: GWEI }, rules);
    expect(offer?.maxFeePerGas).toBeGreaterThanOrEqual((25n * GWEI * 9n ** 5n) / 8n ** 5n + GWEI);
  });

  it('is within the cap, and is not made if it is too low for the next block', () => {
    expect(at(400n)).toBe(451n * GWEI);
    expect(at(450n)).toBeUndefined();
    expect(at(40n, 50n * GWEI)).toBe(50n * GWEI);
    expect(at(50n, 50n * GWEI)).toBeUndefined();
  });

  it('leaves room for raises below both caps', () => {
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } =
      offerAt({ baseFee: 250n * GWEI, tip: 90n * GWEI }, rules) ?? {};
    expect(maxFeePerGas * 9n ** 4n).toBeLessThan(cap.maxFeePerGas * 8n ** 4n);
    expect(maxPriorityFeePerGas * 9n ** 4n).toBeLessThan(cap.maxPriorityFeePerGas * 8n ** 4n);
  });
});

describe('a replacement', () => {
  it('raises both fees by at least an eighth, even the smallest', () => {
    for (const before of [1n, 7n, 8n, 1_000_000_007n]) {
      const offer = replacementOf(
        { maxFeePerGas: before, maxPriorityFeePerGas: before },
        { baseFee: 0n, tip: 0n },
        rules,
        'replacement',
      );
      const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = 'cappedBy' in offer ? {} : offer;
      expect(maxFeePerGas * 8n).toBeGreaterThanOrEqual(before * 9n);
      expect(maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(before * 9n);
    }
  });

  it("applies the chain's price bump if it is larger", () => {
    const before = { maxFeePerGas: GWEI, maxPriorityFeePerGas: 100n };
    const offer = replacementOf(before, { baseFee: 0n, tip: 0n }, { ...rules, priceBumpPercent: 100 }, 'replacement');
    expect('cappedBy' in offer ? 0n : offer.maxFeePerGas).toBeGreaterThanOrEqual(2n * GWEI);
  });

  it('is not made above either cap, and says which one that is', () => {
    const market = { baseFee: GWEI, tip: GWEI };
    const high = { maxFeePerGas: 460n * GWEI, maxPriorityFeePerGas: GWEI };
    const replace = (before: GasPrice, now = market) => replacementOf(before, now, rules, 'replacement');
    expect(replace(high)).toEqual({ cappedBy: 'maxFeePerGas' });
    expect(replace(high, { baseFee: 450n * GWEI, tip: GWEI })).toEqual({ cappedBy: 'maxFeePerGas' });
    const tipped = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 4_900_000_000n };
    expect(replace(tipped)).toEqual({ cappedBy: 'maxPriorityFeePerGas' });
  });

  it.each([
    ['Avalanche', mainnet],
    ['Polygon', polygon],
    ['a chain that requires twice the fee', { ...polygon, priceBumpPercent: 100 }],
  ])(
    'of a first offer is possible on %s three times, and then a cancellation, whatever tip is suggested',
    (_, chain) => {
      const { maxPriorityFeePerGas: most } = chain.feeCap;
      for (const percent of [50n, 80n, 89n, 100n, 300n]) {
        const tip = (most * percent) / 100n;
        let offer = offerAt({ baseFee: GWEI / 100n, tip }, chain);
        for (const by of ['replacement', 'replacement', 'replacement', 'cancel'] as const) {
          if (offer === undefined) throw new Error('There is an offer');
          const market = { baseFee: offer.maxFeePerGas + 1n, tip };
          const higher = replacementOf(offer, market, chain, by);
          if ('cappedBy' in higher) throw new Error(`Capped by ${higher.cappedBy} at ${percent} % of the cap`);
          expect(higher.maxPriorityFeePerGas).toBeLessThanOrEqual(most);
          offer = higher;
        }
      }
    },
  );
});

describe('a gas limit', () => {
  it('leaves a quarter of the estimate, but no less than a receiver can add, and is never above the ceiling', () => {
    expect(gasLimitFor(200_000n, 1_000_000n)).toBe(250_000n);
    expect(gasLimitFor(57_000n, 1_000_000n)).toBe(97_000n);
    expect(gasLimitFor(900_000n, 1_000_000n)).toBe(1_000_000n);
  });
});
