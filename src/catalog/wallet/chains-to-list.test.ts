import { describe, expect, it } from 'vitest';
import { mainnet } from '../../chains/definitions/mainnet.ts';
import { polygon } from '../../chains/definitions/polygon.ts';
import { testnet } from '../../chains/definitions/testnet.ts';
import { chainsToList } from './chains-to-list.ts';

const all = [mainnet, testnet, polygon];

describe('chainsToList', () => {
  it.each([
    ['mainnet and testnet', all, [mainnet, testnet]],
    ['of those, the one that is allowed', [polygon, testnet], [testnet]],
    ['all allowed chains if neither default is allowed', [polygon], [polygon]],
  ])('covers %s where the query names no chain', (_, allowed, expected) => {
    expect(chainsToList(allowed, {})).toEqual(expected);
  });

  it('covers the chains in either parameter, each once', () => {
    expect(chainsToList(all, { blockchains: ['polygon', 'polygon'], 'blockchains[]': ['mainnet'] })).toEqual([
      mainnet,
      polygon,
    ]);
  });

  it('reports every chain that is not allowed, and names those that are', () => {
    const query = { blockchains: ['mainnet', 'polygon'], 'blockchains[]': ['polygon-amoy'] };
    expect(() => chainsToList([mainnet, testnet], query)).toThrow(
      expect.objectContaining({
        code: 'invalid',
        issues: [
          { path: 'blockchains.1', message: 'must be one of mainnet, testnet' },
          { path: 'blockchains[].0', message: 'must be one of mainnet, testnet' },
        ],
      }),
    );
  });
});
