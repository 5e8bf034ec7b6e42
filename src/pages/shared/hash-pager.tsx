import { Pager } from './pager.tsx';

/** Pages of a list whose cursor is in the URL, as `before`. */
export function HashPager<Query extends { readonly before?: string | undefined }>(props: {
  readonly query: Query;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  readonly linkTo: (query: Query & { readonly before: string }) => string;
}) {
  const { query, next, linkTo } = props;
  const openOlder = () => {
    location.hash = linkTo({ ...query, before: next ?? '' });
  };
  return (
    <Pager onNewer={query.before ? () => history.back() : undefined} onOlder={next === null ? undefined : openOlder} />
  );
}
