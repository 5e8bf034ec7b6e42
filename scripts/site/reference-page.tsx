import { eventsOf, operationsByTag, pathOfOperation, type ApiDocument } from './api-document.ts';

/** All operations by their tag, the operator's apart, and the events. */
export function ReferencePage({ document }: { readonly document: ApiDocument }) {
  const { partners, operators } = operationsByTag(document);
  return (
    <>
      <h1>API reference</h1>
      <p>
        Every operation and event of the API, version {document.info.version}. A request needs a{' '}
        <a href="/docs/keys">key</a> of an account in the header <code>x-api-key</code>; each page says which scope. The
        samples read the address of the service from <code>NFT_URL</code> and the key from <code>NFT_KEY</code>.{' '}
        <a href="/docs/api">Rules of the API</a> apply to all operations, <a href="/docs/errors">errors</a> have one
        form, and <a href="/openapi.json">openapi.json</a> is for generated clients.
      </p>
      {partners.map((tag) => (
        <TagTable key={tag.name} {...tag} />
      ))}
      <h2 id="events">Events</h2>
      <p>
        What the service POSTs to <a href="/docs/webhooks">webhook endpoints</a>.
      </p>
      <ul class="operations">
        {eventsOf(document).map((event) => (
          <li key={event.path}>
            <a href={pathOfOperation(event)}>
              <code>{event.path}</code>
            </a>
            <span class="muted">{event.summary}</span>
          </li>
        ))}
      </ul>
      <h2 id="for-operators">For operators</h2>
      {operators.map((tag) => (
        <TagTable key={tag.name} {...tag} />
      ))}
    </>
  );
}

function TagTable({ name, description, operations }: ReturnType<typeof operationsByTag>['partners'][number]) {
  return (
    <section>
      <h2 id={name.toLowerCase().replaceAll(' ', '-')}>{name}</h2>
      <p>{description}.</p>
      <ul class="operations">
        {operations.map((operation) => (
          <li key={operation.operationId}>
            <a href={pathOfOperation(operation)}>{operation.summary}</a>
            <span>
              <span class={`method ${operation.method}`}>{operation.method.toUpperCase()}</span>{' '}
              <code>{operation.path}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
