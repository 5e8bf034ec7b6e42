import { describe, expect, it } from 'vitest';
import { mainnet, testnet } from '../../chains/definitions/avalanche.ts';
import { polygonAmoy, polygon } from '../../chains/definitions/polygon.ts';
import { chainsToList } from './chains-to-list.ts';

const all = [mainnet, testnet, polygon];

describe('chainsToList', () => {
  it.each([
    ['mainnet and testnet', all, [mainnet, testnet]],
    ['of those, the one that is allowed', [polygon, testnet], [testnet]],
    ['all allowed chains if neither default is allowed', [polygon], [polygon]],
  ])('covers %s where the query names no chain', (_, allowed, expected) => {
    expect(chainsToList(allowed, {}, undefined)).toEqual(expected);
  });

  it('covers the chains in either parameter, each once', () => {
    expect(chainsToList(all, { blockchains: ['polygon', 'polygon'], 'blockchains[]': ['mainnet'] }, undefined)).toEqual(
      [mainnet, polygon],
    );
  });

  it('reports every chain that is not allowed, and names those that are', () => {
    const query = { blockchains: ['mainnet', 'polygon'], 'blockchains[]': ['polygon-amoy'] };
    expect(() => chainsToList([mainnet, testnet], query, undefined)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        issues: [
          { path: 'blockchains.1', message: 'must be one of mainnet, testnet' },
          { path: 'blockchains[].0', message: 'must be one of mainnet, testnet' },
        ],
      }),
    );
  });

  it.each([
    ['the default chains of its kind', {}, all, [testnet]],
    ['the chains of its kind where no default is allowed', {}, [mainnet, polygonAmoy], [polygonAmoy]],
    ['no chain where none of its kind is allowed', {}, [mainnet, polygon], []],
    ['the chains in the query', { blockchains: ['testnet'] }, all, [testnet]],
  ])('covers for a test key %s', (_, query, allowed, expected) => {
    expect(chainsToList(allowed, query, 'test')).toEqual(expected);
  });

  it('rejects a chain of the other kind, alone or beside others', () => {
    for (const names of [['mainnet'], ['testnet', 'mainnet']]) {
      expect(() => chainsToList(all, { blockchains: names }, 'test')).toThrow(
        expect.objectContaining({ kind: 'forbidden' }),
      );
    }
  });
});
