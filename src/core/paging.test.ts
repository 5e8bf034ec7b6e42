import { describe, expect, it } from 'vitest';
import { pageOf } from './paging.ts';

const range = { from: '', before: 'g', take: 3 };
const rowsOf = (...ids: string[]) => ids.map((id) => ({ id }));
const cursorOf = (ids: string[], searchedTo?: string) =>
  pageOf(rowsOf(...ids), range, ({ id }) => id, searchedTo).nextCursor;

describe('the next page', () => {
  it('begins after the last item of a full page, however far the search went', () => {
    expect(pageOf(rowsOf('9', '8', '7'), range, ({ id }) => id)).toEqual({ items: ['9', '8'], nextCursor: '8' });
    expect(cursorOf(['9', '8', '7'], '5')).toBe('8');
  });

  it('does not exist when everything has been searched', () => {
    expect(cursorOf(['9', '8'])).toBeNull();
    expect(cursorOf([])).toBeNull();
  });

  it('begins where the search ended, even if it found nothing', () => {
    expect(cursorOf(['9'], '5')).toBe('5');
    expect(cursorOf([], '5')).toBe('5');
  });

  it('repeats no item when records were added during the search', () => {
    expect(cursorOf(['9', '4'], '5')).toBe('4');
  });
});
