import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../webhooks/event.ts';
import { describeEvents } from './event-payloads.ts';

describe('the events', () => {
  it('are those of the kinds of orders, each described once', () => {
    expect(
      describeEvents()
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(Object.keys(EVENT_TYPES).toSorted());
  });
});
