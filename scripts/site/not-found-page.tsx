/** What a browser gets at a path that the site does not have. */
export function NotFoundPage() {
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
