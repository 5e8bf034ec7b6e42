import { expect, it } from 'vitest';
import { KnownContracts } from './known-contracts.ts';

const contract = '0x8ba1f109551bd432803012645ac136ddd64dba72';
const FINALITY = 5;

it('code is lasting once it is still there when the block in which it was seen is final', () => {
  const known = new KnownContracts();
  expect(known.isLasting(contract, FINALITY)).toBe(false);
  known.observe([contract], [], 100);
  expect(known.isLasting(contract, 1)).toBe(true);
  known.observe([contract], [], 103);
  expect(known.isLasting(contract, FINALITY)).toBe(false);
  known.observe([contract], [], 104);
  expect(known.isLasting(contract, FINALITY)).toBe(true);
});

it('code that was missing in between, or seen in a block that was false, is not lasting', () => {
  const known = new KnownContracts();
  known.observe([contract], [], 100);
  known.observe([contract], [contract], 102);
  known.observe([contract], [], 103);
  known.observe([contract], [], 106);
  expect(known.isLasting(contract, FINALITY)).toBe(false);
  known.observe([contract], [], 107);
  expect(known.isLasting(contract, FINALITY)).toBe(true);
  known.forgetBlocksAbove(106);
  expect(known.isLasting(contract, FINALITY)).toBe(false);
  known.observe([contract], [], 110);
  known.forgetBlocksAbove(102);
  expect(known.isLasting(contract, 1)).toBe(false);
});
