import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../webhooks/event.ts';
import { NOTICES } from '../webhooks/notices.ts';
import { describeEvents } from './event-payloads.ts';

describe('the events', () => {
  it('are those of the kinds of orders and the notices, each described once', () => {
    expect(
      describeEvents()
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual([...Object.keys(EVENT_TYPES), ...Object.keys(NOTICES)].toSorted());
  });
});
