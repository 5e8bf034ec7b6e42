import { describe, expect, it } from 'vitest';
import { chainDefinition, CHAINS, DEFAULT_CHAIN, DEFAULT_CHAINS } from './list.ts';

describe('CHAINS', () => {
  it.each(['id', 'name', 'indexName'] as const)('has a different %s for each chain', (field) => {
    expect(new Set(CHAINS.map((chain) => chain[field])).size).toBe(CHAINS.length);
  });

  it.each(CHAINS.map((chain) => [chain.name, chain] as const))('has consistent numbers for %s', (_, chain) => {
    expect(chain.id).toMatch(/^[1-9]\d*$/);
    expect(chain.confirmations).toBeGreaterThanOrEqual(1);
    expect(chain.finality).toBeGreaterThanOrEqual(chain.confirmations);
    expect(chain.window).toBeGreaterThanOrEqual(1);
    expect(chain.lowBalance).toBeGreaterThan(0n);
    expect(chain.feeCap.maxFeePerGas).toBeGreaterThan(chain.feeCap.maxPriorityFeePerGas);
  });

  it('includes the chains of the specification, and defaults to the main one', () => {
    expect(DEFAULT_CHAIN).toMatchObject({ id: '43114', name: 'mainnet' });
    expect(DEFAULT_CHAINS.map(({ id, name }) => [id, name])).toEqual([
      ['43114', 'mainnet'],
      ['43113', 'testnet'],
    ]);
  });
});

describe('chainDefinition', () => {
  it('finds every chain by its id, and throws for an unknown id', () => {
    for (const chain of CHAINS) expect(chainDefinition(chain.id)).toBe(chain);
    expect(() => chainDefinition('5')).toThrow('Chain 5 has no definition');
  });
});
