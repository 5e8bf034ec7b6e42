import { expect, it } from 'vitest';
import { KnownContracts } from './known-contracts.ts';

const contract = '0x8ba1f109551bd432803012645ac136ddd64dba72';
const FINALITY = 5;

it('code is lasting once the block in which it was seen is final', () => {
  const known = new KnownContracts();
  expect(known.isLasting(contract, 100, FINALITY)).toBe(false);
  known.observe([contract], [], 100);
  expect(known.isLasting(contract, 103, FINALITY)).toBe(false);
  expect(known.isLasting(contract, 104, FINALITY)).toBe(true);
  expect(known.isLasting(contract, 100, 1)).toBe(true);
});

it('code that was missing in between, or seen in a block that was false, is not lasting', () => {
  const known = new KnownContracts();
  known.observe([contract], [], 100);
  known.observe([contract], [contract], 102);
  known.observe([contract], [], 103);
  expect(known.isLasting(contract, 106, FINALITY)).toBe(false);
  expect(known.isLasting(contract, 107, FINALITY)).toBe(true);
  known.forgetBlocksAbove(102);
  expect(known.isLasting(contract, 107, FINALITY)).toBe(false);
});
