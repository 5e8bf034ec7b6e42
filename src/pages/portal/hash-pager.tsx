import { Pager } from '../shared/pager.tsx';
import type { Query } from './route.ts';

/** Pages of a list whose cursor is in the URL. */
export function HashPager(props: {
  readonly query: Query;
  readonly next: string | null;
  readonly linkTo: (query: Query) => string;
}) {
  const { query, next, linkTo } = props;
  const openOlder = () => {
    location.hash = linkTo({ ...query, before: next ?? '' });
  };
  return (
    <Pager onNewer={query.before ? () => history.back() : undefined} onOlder={next === null ? undefined : openOlder} />
  );
}
