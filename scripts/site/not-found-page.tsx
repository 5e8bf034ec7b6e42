/** What a browser gets at a path that the site does not have. */
export function NotFoundPage() {
  return (
    <>
      <h1>Not found</h1>
      <p>
        There is no such page. Search the documentation, or start with the <a href="/docs">list of all documents</a> or
        the <a href="/docs/reference">API reference</a>.
      </p>
    </>
  );
}
