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
    'after all and another any are been before but can did does each every for from has have into its more most must new ' +
    'not nothing of one only other own same than that the their them then there they this two under was what when where ' +
    'which while who with without'
  ).split(' '),
);

/** Each word of a text once, and none that another one begins with, since the search finds both: so the index stays small. */
function wordsOf(text: string): string {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu))].toSorted();
  // Whatever begins with a word follows it.
  return words.filter((word, place) => !COMMON.has(word) && words[place + 1]?.startsWith(word) !== true).join(' ');
}
