import { GUIDES, pathOfGuide, READERS } from './guides.ts';

/** The documents by their readers. */
export function DocsPage() {
  return (
    <>
      <h1>Documentation</h1>
      <p>
        New here? Start with the <a href="/docs/partner-guide">partner guide</a>. The{' '}
        <a href="/docs/reference">API reference</a> has every operation, the{' '}
        <a href="/docs/schemas">metadata schemas</a> what a token must have, the <a href="/docs/changelog">changelog</a>{' '}
        what is new.
      </p>
      {READERS.map(([reader, title]) => (
        <section key={reader}>
          <h2 id={reader}>{title}</h2>
          <ul class="cards">
            {GUIDES[reader].map(({ file, label, about }) => (
              <li key={file}>
                <h3>
                  <a href={pathOfGuide(file)}>{label}</a>
                </h3>
                <p class="muted">{about}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
