import type { Reader, SearchEntry } from '../../src/pages/site/find.ts';
import { eventsOf, isForOperators, operationsOf, pathOfOperation, type ApiDocument } from './api-document.ts';
import type { Section } from './markdown.ts';

/** One entry for each operation and event. */
export function operationEntries(document: ApiDocument): SearchEntry[] {
  return [...operationsOf(document), ...eventsOf(document)].map((operation) => {
    const { isEvent, operationId, method, path, summary, description = '' } = operation;
    const [title, place, text] = isEvent
      ? [path, 'Event', summary]
      : [summary, `${method.toUpperCase()} ${path}`, description];
    const reader = isForOperators(operation) ? 1 : undefined;
    return entryOf(title, place, pathOfOperation(operation), `${operationId} ${text}`, reader);
  });
}

/** One entry for each part of a document. @param place The document's short title. */
export function sectionEntries(
  path: string,
  place: string,
  sections: readonly Section[],
  reader: Reader | undefined,
): SearchEntry[] {
  return sections.map(({ id, title, depth, text }) =>
    depth === 1
      ? entryOf(place, place, path, `${title}. ${text}`, reader)
      : entryOf(title, place, `${path}#${id}`, text, reader),
  );
}

function entryOf(title: string, place: string, href: string, text: string, reader: Reader | undefined): SearchEntry {
  const words = wordsOf(text, `${title} ${place}`);
  return reader === undefined ? [title, place, href, words] : [title, place, href, words, reader];
}

/** Words that say nothing about what a text is about. */
const COMMON = new Set(
  (
    'about above after again all already also always and another any are because been before below beside ' +
    'besides between both but can cannot could did does during each either else even ever every few first for ' +
    'from had has have here how however instead into its itself just last least less many may more most much ' +
    'must neither never new none nor not nothing now often once one only other others otherwise over own ' +
    'rather same since some still such than that the their them then there therefore these they this those ' +
    'through too two under until upon was way well were what whatever when where whether which while who ' +
    'whoever whole whose why will with within without would yet you your'
  ).split(' '),
);

/**
 * Each word of a text once, and none that another one begins with, since the search finds both: so the index stays
 * small.
 * @param named What says some of the words already.
 */
function wordsOf(text: string, named: string): string {
  const known = new Set([...COMMON, ...wordsIn(named)]);
  const words = [...new Set(wordsIn(text))].toSorted();
  // Whatever begins with a word follows it.
  return words.filter((word, place) => !known.has(word) && words[place + 1]?.startsWith(word) !== true).join(' ');
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
