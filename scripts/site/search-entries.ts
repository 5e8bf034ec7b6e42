import { eventsOf, operationsOf, pathOfOperation, type ApiDocument } from './api-document.ts';
import type { Section } from './markdown.ts';

/** What the search can find (src/pages/site/search.tsx). */
export interface SearchEntry {
  readonly title: string;
  /** Where it stands: the title of the page, or the method and path. */
  readonly place: string;
  readonly href: string;
  readonly text: string;
}

/** The most characters of a section's text: words that matter come early, and the index is small. */
const TEXT_LENGTH = 200;

/** One entry for each operation and event. */
export function operationEntries(document: ApiDocument): SearchEntry[] {
  return [...operationsOf(document), ...eventsOf(document)].map((operation) => ({
    title: operation.isEvent ? operation.path : operation.summary,
    place: operation.isEvent ? 'Event' : `${operation.method.toUpperCase()} ${operation.path}`,
    href: pathOfOperation(operation),
    text: shorten(`${operation.operationId} ${operation.isEvent ? operation.summary : (operation.description ?? '')}`),
  }));
}

/** One entry for each part of a document. @param place The document's short title. */
export function sectionEntries(path: string, place: string, sections: readonly Section[]): SearchEntry[] {
  return sections.map(({ id, title, depth, text }) => ({
    title: depth === 1 ? place : title,
    place,
    href: id === '' ? path : `${path}#${id}`,
    text: shorten(depth === 1 ? `${title}. ${text}` : text),
  }));
}

function shorten(text: string): string {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  return words.length <= TEXT_LENGTH ? words : words.slice(0, words.lastIndexOf(' ', TEXT_LENGTH));
}
