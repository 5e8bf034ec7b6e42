import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { lanesIn } from './lanes.ts';

const name = `43114:0x${'1'.repeat(40)}`;

describe('a lane', () => {
  it('is addressed with the region in which it is to be created', () => {
    const getByName = vi.spyOn(env.LANES, 'getByName');
    expect(lanesIn(env.LANES, 'weur').getByName(name).name).toBe(`${name}:weur`);
    expect(getByName).toHaveBeenLastCalledWith(`${name}:weur`, { locationHint: 'weur' });
    expect(lanesIn(env.LANES, undefined).getByName(name).name).toBe(name);
    expect(getByName).toHaveBeenLastCalledWith(name);
  });
});
