import MiniSearch from 'minisearch';

/**
 * What can be found, as scripts/site/search-entries.ts writes it. The place is the title of the page, or the method and
 * path; the text has the words of what is found that title and place do not have.
 */
export type SearchEntry = readonly [title: string, place: string, href: string, text: string, reader?: Reader];

/** For whom a page is, if not for partners and holders: the operator, or who works on the service. */
export type Reader = 1 | 2;

interface Entry {
  readonly title: string;
  readonly place: string;
  readonly href: string;
  readonly text: string;
}

export type Index = MiniSearch<Entry>;

const MOST_RESULTS = 8;

/** How much the pages of each reader count: partners ask most. */
const WEIGHTS = [1, 0.7, 0.5] as const;

/** What people say for what the documents call otherwise; each is looked for beside the word. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['auth', ['key']],
  ['authentication', ['key']],
  ['login', ['key']],
  ['token', ['nft']],
  ['retry', ['idempotency', 'retries']],
  ['twice', ['idempotency']],
  ['duplicate', ['idempotency']],
  ['picture', ['asset', 'image']],
  ['image', ['asset']],
  ['upload', ['asset', 'import']],
  ['csv', ['import']],
  ['bulk', ['batch', 'import']],
  ['ticket', ['gate']],
  ['scan', ['gate']],
  ['diploma', ['certificates']],
  ['price', ['cost', 'fee']],
  ['sdk', ['client']],
  ['library', ['client']],
  ['callback', ['webhook']],
  ['verify', ['signature', 'check']],
  ['throttle', ['rate', 'limit']],
  ['quota', ['limit']],
  ['airdrop', ['batch', 'import']],
  ['metatransaction', ['gasless']],
  ['soulbound', ['certificates']],
  ['revoke', ['revocation']],
]);

export function createIndex(entries: readonly SearchEntry[]): Index {
  const readers = new Map(entries.map(([, , href, , reader]) => [href, reader ?? 0]));
  const index = new MiniSearch<Entry>({
    idField: 'href',
    fields: ['title', 'place', 'text'],
    storeFields: ['title', 'place', 'href'],
    searchOptions: {
      boost: { title: 6, place: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boostDocument: (href, term, stored) =>
        (WEIGHTS[readers.get(String(href)) ?? 0] ?? 1) * weightOf(String(href), term, String(stored?.['title'])),
    },
  });
  index.addAll(entries.map(([title, place, href, text]) => ({ title, place, href, text })));
  return index;
}

/** A page counts more than a part of one, most of all one that is called like the term. Who cancels says so. */
function weightOf(href: string, term: string, title: string): number {
  const name = title.toLowerCase();
  if (href.includes('#')) return name === term ? 0.7 : 1;
  if (name === term || name === `${term}s`) return 2.5;
  return name.startsWith('cancel:') && !'cancel'.startsWith(term) ? 0.5 : 1.3;
}

/**
 * What is called like the query, then what has all its words in its title, then what has them elsewhere, then what has
 * some of them.
 */
export function find(index: Index, query: string) {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [];
  const long = words.filter((word) => word.length > 2 && !SMALL.has(word));
  const meant = (long.length > 0 ? long : words).map((word) => [word, ...(SYNONYMS.get(word) ?? [])]);
  const queries = meant.map((each) => ({ combineWith: 'OR' as const, queries: each }));
  const all = index.search({ combineWith: 'AND', queries });
  const known = new Set(all.map(({ id }) => id));
  const some = index.search({ combineWith: 'OR', queries }).filter(({ id }) => !known.has(id));
  const asked = query.trim().toLowerCase();
  const rankOf = (found: (typeof all)[number]) => {
    const title = String(found['title']).toLowerCase();
    if (!String(found.id).includes('#') && (title === asked || title === `${asked}s`)) return 0;
    return meant.every((each) => each.some((word) => ` ${title}`.includes(` ${word}`))) ? 1 : 2;
  };
  const ranked = all.toSorted((one, other) => rankOf(one) - rankOf(other));
  return [...ranked, ...some].slice(0, MOST_RESULTS);
}

/** Words of questions that say nothing about what is sought. */
const SMALL = new Set([
  'the',
  'how',
  'what',
  'when',
  'where',
  'why',
  'can',
  'does',
  'for',
  'and',
  'with',
  'use',
  'get',
]);
