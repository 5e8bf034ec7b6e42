/** How whoever has no key gets one. */
export function HowToGetAKey() {
  return (
    <details>
      <summary>How do I get a key?</summary>
      <p>
        The operator of this service issues the first key of an account. With a key that has the scope <code>keys</code>{' '}
        you create others, here under Account or with the API:
      </p>
      <pre tabindex={0}>{`curl -X POST ${location.origin}/keys \\
  -H "x-api-key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"name":"Portal","scopes":["read","webhooks"]}'`}</pre>
      <p>
        <code>read</code> shows orders, contracts and metadata, <code>webhooks</code> deliveries; changes need the scope
        of their route.
      </p>
    </details>
  );
}
