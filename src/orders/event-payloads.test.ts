import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../webhooks/event.ts';
import { describeEvents } from './event-payloads.ts';

describe('the event descriptions', () => {
  it('cover the events of all order kinds, each once', () => {
    expect(
      describeEvents()
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(Object.keys(EVENT_TYPES).toSorted());
  });
});
