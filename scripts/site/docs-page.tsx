import { GUIDES, pathOfGuide } from './guides.ts';

const READERS = {
  partners: 'Partners, who call the API',
  holders: 'Holders, and anyone shown a certificate',
  operators: 'Operators, who run the service',
  contributors: 'Contributors',
} as const;

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
      {(['partners', 'holders', 'operators', 'contributors'] as const).map((reader) => (
        <section key={reader}>
          <h2 id={reader}>{READERS[reader]}</h2>
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
