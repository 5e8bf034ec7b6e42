import { useHash } from './frame.tsx';

/** What the part of the URL after `#` shows. */
export interface Route<Name extends string> {
  /** Its path: the page, and what of it. Empty at the start. */
  readonly path: readonly string[];
  /** The conditions after `?`. */
  readonly query: Query<Name>;
}

export type Query<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

/** The current route; one that cannot be read is that of the start. */
export function useRoute<Name extends string>(): Route<Name> {
  const hash = useHash();
  try {
    const { pathname, searchParams } = new URL(hash.slice(1) || '/', 'https://page.invalid');
    const path = pathname.split('/').filter(Boolean).map(decodeURIComponent);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- other names are not read
    return { path, query: Object.fromEntries(searchParams) as Query<Name> };
  } catch {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has no condition
    return { path: [], query: {} as Query<Name> };
  }
}

/** A link to a route, with those conditions that are not empty. */
export function withQuery(path: string, values: Query<string>): string {
  const query = new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
