import { eventsOf, operationsOf, pathOfOperation, type ApiDocument } from './api-document.ts';
import type { Section } from './markdown.ts';

/**
 * What the search can find (src/pages/site/search.tsx). The place is the title of the page, or the method and path; the
 * text has the words of what is found.
 */
export type SearchEntry = readonly [title: string, place: string, href: string, text: string];

/** One entry for each operation and event. */
export function operationEntries(document: ApiDocument): SearchEntry[] {
  return [...operationsOf(document), ...eventsOf(document)].map((operation) => [
    operation.isEvent ? operation.path : operation.summary,
    operation.isEvent ? 'Event' : `${operation.method.toUpperCase()} ${operation.path}`,
    pathOfOperation(operation),
    wordsOf(`${operation.operationId} ${operation.isEvent ? operation.summary : (operation.description ?? '')}`),
  ]);
}

/** One entry for each part of a document. @param place The document's short title. */
export function sectionEntries(path: string, place: string, sections: readonly Section[]): SearchEntry[] {
  return sections.map(({ id, title, depth, text }) => [
    depth === 1 ? place : title,
    place,
    id === '' ? path : `${path}#${id}`,
    wordsOf(depth === 1 ? `${title}. ${text}` : text),
  ]);
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
 */
function wordsOf(text: string): string {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu))].toSorted();
  // Whatever begins with a word follows it.
  return words.filter((word, place) => !COMMON.has(word) && words[place + 1]?.startsWith(word) !== true).join(' ');
}
