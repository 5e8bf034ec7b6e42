import { posix } from 'node:path';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Reader, SearchEntry } from '../../src/pages/site/find.ts';
import { eventsOf, operationsOf, pathOfOperation, type ApiDocument, type Schema } from './api-document.ts';
import { DocsPage } from './docs-page.tsx';
import { GUIDES, pathOfFile, pathOfGuide, PROGRAM } from './guides.ts';
import { escapeHtml } from './highlight.ts';
import { Code } from './html.tsx';
import { GuidePage } from './guide-page.tsx';
import { LandingPage } from './landing-page.tsx';
import { Layout, sidebarOf } from './layout.tsx';
import { renderMarkdown, type Links, type RenderedMarkdown } from './markdown.ts';
import { documentInMarkdown, llmsText, operationInMarkdown } from './markdown-pages.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { OperationPage } from './operation-page.tsx';
import { ReferencePage } from './reference-page.tsx';
import { operationEntries, sectionEntries } from './search-entries.ts';
import { SchemasPage, type PublishedSchema } from './schemas-page.tsx';

export interface SiteSources {
  /** The built src/pages/site/index.html, with its placeholders. */
  readonly template: string;
  readonly document: ApiDocument;
  /** Texts by their file, from the root of the repository: CHANGELOG.md and what is in docs/. */
  readonly texts: ReadonlyMap<string, string>;
  /** The published schemas by their version. */
  readonly schemas: ReadonlyMap<string, Schema>;
}

export interface Site {
  /** The pages, as HTML, by their path. */
  readonly pages: ReadonlyMap<string, string>;
  readonly search: readonly SearchEntry[];
  /** The pages as Markdown, by their path without the ending. */
  readonly markdown: ReadonlyMap<string, string>;
  readonly llmsText: string;
}

/** What the service does. */
const ABOUT =
  'Deploys contracts, stores metadata, mints and moves NFTs for companies: each accepted order exactly once.';
const ALL_GUIDES = Object.values(GUIDES).flat();
const CHANGELOG = 'CHANGELOG.md';
const DECISIONS = 'docs/decisions/README.md';
const isRecord = (file: string) => file.startsWith('docs/decisions/') && file !== DECISIONS;

/** The whole site. @throws if a document is in no list, or a list names one that does not exist. */
export function renderSite({ template, document, texts, schemas }: SiteSources): Site {
  const parts = sidebarOf(document);
  const pages = new Map<string, string>();
  const search: SearchEntry[] = [];
  const markdown = new Map<string, string>();
  const add = (path: string, title: string, about: string, content: VNode, isWide = false) => {
    const body = renderToString(
      <Layout parts={parts} path={path} isWide={isWide}>
        {content}
      </Layout>,
    );
    const fullTitle = path === '/' ? title : `${title} · NFT issuance service`;
    pages.set(
      path,
      template
        .replace('<!-- title -->', () => escapeHtml(fullTitle))
        .replace('<!-- description -->', () => escapeHtml(about))
        .replace('<!-- alternate -->', () =>
          markdown.has(path) ? `<link rel="alternate" type="text/markdown" href="${path}.md" />` : '',
        )
        .replace('<!-- body -->', () => body),
    );
  };

  const documents = new Map<string, RenderedMarkdown>();
  for (const [file, text] of texts) {
    if (file.endsWith('.md')) documents.set(file, renderMarkdown(text, linksOf(file)));
  }
  requirePlaces(new Set(documents.keys()));
  add('/', 'NFT issuance service', ABOUT, <LandingPage />);
  add('/docs', 'Documentation', `Guides and reference. ${ABOUT}`, <DocsPage />);
  for (const [file, rendered] of documents) {
    const path = pathOfFile(file);
    if (path === undefined) continue;
    const label = labelOf(file, rendered.title);
    const records = [...documents]
      .filter(([other]) => file === DECISIONS && isRecord(other))
      .map(([other, { title }]) => ({ path: pathOfGuide(other), title }));
    markdown.set(path, documentInMarkdown(texts.get(file) ?? '', linksOf(file)));
    add(path, label, aboutOf(file) ?? label, <GuidePage rendered={rendered} records={records} />);
    search.push(...sectionEntries(path, label, rendered.sections, readerOf(file)));
  }
  for (const [file, text] of texts) {
    if (!PROGRAM.test(file)) continue;
    const name = posix.basename(file);
    const content = (
      <>
        <h1>{name}</h1>
        <Code code={text} language={posix.extname(file).slice(1).replace('mts', 'ts')} />
      </>
    );
    add(`/${file}`, name, `A program to copy: ${name}.`, content);
  }
  add('/not-found', 'Not found', 'There is no page at this address.', <NotFoundPage />);
  add('/docs/reference', 'API reference', 'All operations and events.', <ReferencePage document={document} />);
  const published = publishedSchemas(document, schemas);
  add('/docs/schemas', 'Metadata schemas', 'What metadata of each type has.', <SchemasPage schemas={published} />);
  for (const operation of [...operationsOf(document), ...eventsOf(document)]) {
    const title = operation.isEvent ? operation.path : operation.summary;
    const path = pathOfOperation(operation);
    const about = operation.isEvent
      ? `${operation.summary}.`
      : `${operation.method.toUpperCase()} ${operation.path}: ${operation.summary}.`;
    markdown.set(path, operationInMarkdown(document, operation));
    add(path, title, about, <OperationPage document={document} operation={operation} />, true);
  }
  search.push(...operationEntries(document));
  search.push(['Metadata schemas', 'API reference', '/docs/schemas', [...schemas.keys()].join(' ')]);
  return { pages, search, markdown, llmsText: llmsText(document) };
}

const isIn = (reader: keyof typeof GUIDES, file: string) => GUIDES[reader].some((guide) => guide.file === file);

/** For whom a document is, if not for partners and holders. */
function readerOf(file: string): Reader | undefined {
  if (isIn('operators', file)) return 1;
  return isIn('contributors', file) || isRecord(file) || file === CHANGELOG ? 2 : undefined;
}

/** What is in a document, in a sentence; undefined if it is in no list. */
const aboutOf = (file: string) => ALL_GUIDES.find((guide) => guide.file === file)?.about;

/** What a document is called: as in the lists of guides or, if it is in none, by its own title. */
const labelOf = (file: string, title: string) => ALL_GUIDES.find((guide) => guide.file === file)?.label ?? title;

/** @throws if a document is in no list of guides, or a list names one that does not exist. */
function requirePlaces(files: ReadonlySet<string>): void {
  const listed = new Set(ALL_GUIDES.map(({ file }) => file));
  const unlisted = [...files].filter((file) => file !== CHANGELOG && !isRecord(file) && !listed.has(file));
  const missing = [...listed].filter((file) => !files.has(file));
  if (unlisted.length > 0) throw new Error(`scripts/site/guides.ts gives no place to ${unlisted.join(', ')}`);
  if (missing.length > 0) throw new Error(`scripts/site/guides.ts names ${missing.join(', ')}, which do not exist`);
}

/** The links of a document, which are relative to it. */
function linksOf(file: string): Links {
  const resolve = (target: string) => posix.join(posix.dirname(file), target);
  return {
    link: (href) => {
      const [target = '', anchor] = href.split('#');
      const path = target === '' ? '' : pathOfFile(resolve(target));
      // The first page is not made from README.md, and has no headings of it.
      return path === undefined || path === '/' || anchor === undefined ? path : `${path}#${anchor}`;
    },
    label: (href) => labelOf(resolve(href.replace(/#.*/, '')), href),
    image: (href) => `/pages/site/${posix.basename(href)}`,
  };
}

/** The schemas with the document's recorded list of them. */
function publishedSchemas(document: ApiDocument, schemas: SiteSources['schemas']): PublishedSchema[] {
  const example = document.paths['/schemas']?.['get']?.responses['200']?.content?.['application/json']?.example;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reply's schema, which a test compares with it
  const { items } = example as { readonly items: readonly Omit<PublishedSchema, 'schema'>[] };
  return items.map((item) => {
    const schema = schemas.get(item.schemaVersion);
    if (schema === undefined) throw new Error(`There is no schema ${item.schemaVersion}`);
    return { ...item, schema };
  });
}
