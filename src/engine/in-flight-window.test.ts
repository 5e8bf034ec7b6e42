import { expect, it } from 'vitest';
import { InFlightWindow } from './in-flight-window.ts';

it('the in-flight window doubles once a whole window has been mined, up to its maximum', () => {
  const window = new InFlightWindow(256, 512);
  window.countMined(255);
  expect(window.size).toBe(256);
  window.countMined(1);
  expect(window.size).toBe(512);
  window.countMined(600);
  expect(window.size).toBe(512);
});

it('the in-flight window keeps halving while nothing is mined, down to one, and counts what is mined from there', () => {
  const window = new InFlightWindow(5, 512);
  window.countMined(4);
  for (const size of [2, 1, 1]) {
    window.halve();
    expect(window.size).toBe(size);
  }
  window.countMined(1);
  expect(window.size).toBe(2);
  window.countMined(1);
  expect(window.size).toBe(2);
});
