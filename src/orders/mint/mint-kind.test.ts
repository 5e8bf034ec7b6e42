import { describe, expect, it } from 'vitest';
import type { Settings } from '../../platform/env.ts';
import { mintKind } from './mint-kind.ts';
import type { MintOrder } from './minting-orders.store.ts';

const settings = { MINT_GAS_CEILING: 1_000_000, CERTIFICATE_GAS_CEILING: 300_000 } as Settings;
const ceilingOf = (tokenUri: string | null) => mintKind.gasCeiling({ tokenUri } as MintOrder, settings);

describe('the gas ceiling of a mint', () => {
  it('is the setting for a standard token', () => {
    expect(ceilingOf(null)).toBe(1_000_000n);
  });

  it("grows with each 32 bytes of a certificate's URI in UTF-8", () => {
    expect(ceilingOf('x'.repeat(32))).toBe(325_000n);
    expect(ceilingOf('x'.repeat(33))).toBe(350_000n);
    expect(ceilingOf('é'.repeat(17))).toBe(350_000n);
  });
});
