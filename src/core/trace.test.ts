import { describe, expect, it } from 'vitest';
import { traceIdOf, traceOf, traceparentOf } from './trace.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('a valid traceparent', () => {
  it.each([
    [`00-${ID}-${PARENT}-01`, `${ID}-01`],
    [`00-${ID}-${PARENT}-00`, `${ID}-00`],
    // Of other flags nothing is known.
    [`00-${ID}-${PARENT}-ff`, `${ID}-01`],
    [`00-${ID}-${PARENT}-02`, `${ID}-00`],
    // A later version begins the same, and may have more.
    [`cc-${ID}-${PARENT}-01`, `${ID}-01`],
    [`cc-${ID}-${PARENT}-00-what-the-future-will-be-like`, `${ID}-00`],
  ])('%s names the trace', (traceparent, trace) => expect(traceOf(traceparent)).toBe(trace));
});

describe('a request begins a trace that is recorded', () => {
  it.each([
    undefined,
    '',
    'x',
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${ID}-${'0'.repeat(16)}-01`,
    `ff-${ID}-${PARENT}-01`,
    `00-${ID.toUpperCase()}-${PARENT}-01`,
    `00-${ID}-${PARENT}-1`,
    `00-${ID}-${PARENT}-011`,
    `00-${ID}-${PARENT}-01-`,
    `00-${ID}-${PARENT}-01-more`,
    `cc-${ID}-${PARENT}-01.more`,
    `0-${ID}-${PARENT}-01`,
    `00-${ID.slice(1)}-${PARENT}-01`,
    `00_${ID}_${PARENT}_01`,
    // Sent twice.
    `00-${ID}-${PARENT}-01, 00-${ID}-${PARENT}-01`,
  ])('without a valid traceparent: %s', (traceparent) => {
    const trace = traceOf(traceparent);
    expect(trace).toMatch(/^[0-9a-f]{32}-01$/);
    expect(traceIdOf(trace)).not.toBe(ID);
    expect(traceOf(traceparent)).not.toBe(trace);
  });
});

it('each request of a trace names the trace, the decision to record it, and a parent of its own', () => {
  for (const flags of ['00', '01']) {
    const trace = traceOf(`00-${ID}-${PARENT}-${flags}`);
    const [first, second] = [traceparentOf(trace), traceparentOf(trace)];
    expect(first).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-${flags}$`));
    expect(first).not.toContain(PARENT);
    expect(second).not.toBe(first);
    expect(traceOf(first)).toBe(trace);
  }
});
