import { posix } from 'node:path';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { eventsOf, operationsOf, pathOfOperation, type ApiDocument } from './api-document.ts';
import { DocsPage } from './docs-page.tsx';
import { GUIDES, pathOfFile, pathOfGuide, PROGRAM } from './guides.ts';
import { escapeHtml } from './highlight.ts';
import { Code, Html } from './html.tsx';
import { LandingPage } from './landing-page.tsx';
import { Layout, sidebarOf } from './layout.tsx';
import { renderMarkdown, type Links, type RenderedMarkdown } from './markdown.ts';
import { OperationPage } from './operation-page.tsx';
import { ReferencePage } from './reference-page.tsx';
import { operationEntries, sectionEntries, type SearchEntry } from './search-entries.ts';
import type { MetadataSchema } from './schema-rows.ts';
import { SchemasPage, type PublishedSchema } from './schemas-page.tsx';

export interface SiteSources {
  /** The built src/pages/site/index.html, with its placeholders. */
  readonly template: string;
  readonly document: ApiDocument;
  /** Texts by their file, from the root of the repository: CHANGELOG.md and what is in docs/. */
  readonly texts: ReadonlyMap<string, string>;
  /** The published schemas by their version. */
  readonly schemas: ReadonlyMap<string, MetadataSchema>;
}

export interface Site {
  /** The pages, as HTML, by their path. */
  readonly pages: ReadonlyMap<string, string>;
  readonly search: readonly SearchEntry[];
}

const ALL_GUIDES = Object.values(GUIDES).flat();
const DECISIONS = 'docs/decisions/README.md';
const isRecord = (file: string) => file.startsWith('docs/decisions/') && file !== DECISIONS;

/** The whole site. @throws if a document is in no list, or a list names one that does not exist. */
export function renderSite({ template, document, texts, schemas }: SiteSources): Site {
  const parts = sidebarOf(document);
  const pages = new Map<string, string>();
  const search: SearchEntry[] = [];
  const add = (path: string, title: string, content: VNode, isWide = false) => {
    const body = renderToString(
      <Layout parts={parts} path={path} isWide={isWide}>
        {content}
      </Layout>,
    );
    const fullTitle = path === '/' ? title : `${title} · NFT issuance service`;
    pages.set(
      path,
      template.replace('<!-- title -->', () => escapeHtml(fullTitle)).replace('<!-- body -->', () => body),
    );
  };

  const documents = new Map<string, RenderedMarkdown>();
  for (const [file, text] of texts) {
    if (file.endsWith('.md')) documents.set(file, renderMarkdown(text, linksOf(file)));
  }
  add('/', 'NFT issuance service', <LandingPage />);
  add('/docs', 'Documentation', <DocsPage />);
  const missing = ALL_GUIDES.filter(({ file }) => !documents.has(file));
  if (missing.length > 0) throw new Error(`${JSON.stringify(missing)} of scripts/site/guides.ts do not exist`);
  for (const [file, rendered] of documents) {
    const path = pathOfFile(file);
    if (path === undefined) continue;
    const label = labelOf(file, rendered.title);
    const records = file === DECISIONS ? [...documents].filter(([other]) => isRecord(other)) : [];
    add(path, label, <GuidePage rendered={rendered} records={records} />);
    search.push(...sectionEntries(path, label, rendered.sections));
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
    add(`/${file}`, name, content);
  }
  add('/not-found', 'Not found', <NotFoundPage />);
  add('/docs/reference', 'API reference', <ReferencePage document={document} />);
  add('/docs/schemas', 'Metadata schemas', <SchemasPage schemas={publishedSchemas(document, schemas)} />);
  for (const operation of [...operationsOf(document), ...eventsOf(document)]) {
    const title = operation.isEvent ? operation.path : operation.summary;
    add(pathOfOperation(operation), title, <OperationPage document={document} operation={operation} />, true);
  }
  search.push(...operationEntries(document));
  search.push(['Metadata schemas', 'API reference', '/docs/schemas', [...schemas.keys()].join(' ')]);
  return { pages, search };
}

/** What a browser gets at a path that the site does not have. */
function NotFoundPage() {
  return (
    <>
      <h1>Not found</h1>
      <p>
        The documentation has no such page. Search for it, or begin with the <a href="/docs">list of all documents</a>{' '}
        or the <a href="/docs/reference">API reference</a>.
      </p>
    </>
  );
}

/** A document, with the records that it is about, and its headings beside it. */
function GuidePage(props: {
  readonly rendered: RenderedMarkdown;
  readonly records: readonly (readonly [file: string, rendered: RenderedMarkdown])[];
}) {
  const { rendered, records } = props;
  const { html, sections } = rendered;
  const headings = sections.filter(({ depth }) => depth === 2);
  return (
    <div class="guide">
      <div class="text">
        <Html html={html} />
        {records.length > 0 && (
          <ul>
            {records.map(([file, { title }]) => (
              <li key={file}>
                <a href={pathOfGuide(file)}>{title}</a>
              </li>
            ))}
          </ul>
        )}
      </div>
      {headings.length > 1 && (
        <nav class="contents" aria-label="On this page">
          <h2>On this page</h2>
          <ul>
            {headings.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}

/** @throws if a document other than a record is in no list of guides. */
function labelOf(file: string, title: string): string {
  const guide = ALL_GUIDES.find((each) => each.file === file);
  if (guide !== undefined) return guide.label;
  if (file === 'CHANGELOG.md' || isRecord(file)) return title;
  throw new Error(`${file} has no place in scripts/site/guides.ts`);
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
