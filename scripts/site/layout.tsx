import type { ComponentChildren } from 'preact';
import { eventsOf, operationsByTag, pathOfOperation, type ApiDocument, type Operation } from './api-document.ts';
import { GUIDES, pathOfGuide } from './guides.ts';

interface Entry {
  readonly path: string;
  readonly label: string;
}

/** A heading of the sidebar, and the groups below it. */
interface Part {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly groups: readonly { readonly title: string; readonly entries: readonly Entry[] }[];
}

/** The sidebar of every page. */
export function sidebarOf(document: ApiDocument): Part[] {
  const { partners, operators } = operationsByTag(document);
  return [
    {
      title: 'Start',
      entries: [
        { path: '/', label: 'Introduction' },
        { path: '/docs', label: 'Documentation' },
        { path: '/docs/changelog', label: 'Changelog' },
        { path: '/portal', label: 'Open the portal' },
        { path: '/verify', label: 'Check a certificate' },
      ],
      groups: [],
    },
    { title: 'Partners', entries: guideEntries('partners'), groups: [] },
    {
      title: 'API reference',
      entries: [
        { path: '/docs/reference', label: 'Overview' },
        { path: '/docs/schemas', label: 'Metadata schemas' },
      ],
      groups: [
        ...partners.map(({ name, operations }) => ({ title: name, entries: operations.map(entryOf) })),
        { title: 'Events', entries: eventsOf(document).map((event) => ({ ...entryOf(event), label: event.path })) },
      ],
    },
    { title: 'Holders', entries: guideEntries('holders'), groups: [] },
    {
      title: 'Operators',
      entries: guideEntries('operators'),
      groups: operators.map(({ operations }) => ({ title: 'Admin API', entries: operations.map(entryOf) })),
    },
    { title: 'Contributors', entries: guideEntries('contributors'), groups: [] },
  ];
}

const guideEntries = (reader: keyof typeof GUIDES): Entry[] =>
  GUIDES[reader].map(({ file, label }) => ({ path: pathOfGuide(file), label }));
const entryOf = (operation: Operation): Entry => ({ path: pathOfOperation(operation), label: operation.summary });

/** The frame of every page: a bar with the search, the sidebar, and the content. */
export function Layout(props: {
  readonly parts: readonly Part[];
  readonly path: string;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  const { parts, path, isWide = false, children } = props;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <button type="button" class="menu" popovertarget="sidebar">
          Menu
        </button>
        <a class="brand" href="/">
          NFT issuance service
        </a>
        <div id="search" />
        <nav class="pages" aria-label="Pages">
          <a href="/docs">Docs</a>
          <a href="/docs/reference">API</a>
          <a href="/portal">Portal</a>
          <a href="/verify">Check a certificate</a>
        </nav>
      </header>
      <div class="columns">
        <nav id="sidebar" popover="auto" aria-label="Documentation">
          {parts.map(({ title, entries, groups }) => (
            <section key={title}>
              <h2>{title}</h2>
              <EntryList entries={entries} path={path} />
              {groups.map((group) => (
                <details key={group.title} open={group.entries.some((entry) => entry.path === path)}>
                  <summary>{group.title}</summary>
                  <EntryList entries={group.entries} path={path} />
                </details>
              ))}
            </section>
          ))}
        </nav>
        <main id="main" tabindex={-1} class={isWide ? 'wide' : ''}>
          {children}
        </main>
      </div>
    </>
  );
}

function EntryList({ entries, path }: { readonly entries: readonly Entry[]; readonly path: string }) {
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.path}>
          <a href={entry.path} aria-current={entry.path === path ? 'page' : undefined}>
            {entry.label}
          </a>
        </li>
      ))}
    </ul>
  );
}
