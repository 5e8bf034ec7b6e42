/** A secret that only one reply has. @param what What it is, such as `the key`. @param onHide Forgets it. */
export function ShownOnce(props: { readonly what: string; readonly secret: string; readonly onHide: () => void }) {
  const { what, secret, onHide } = props;
  return (
    <div class="facts">
      <p role="status" class="good">
        Created. Keep {what} now: it is not shown again.
      </p>
      <code class="wrap">{secret}</code>
      <div class="buttons">
        <button type="button" onClick={() => void navigator.clipboard.writeText(secret)}>
          Copy
        </button>
        <button type="button" onClick={onHide}>
          Hide
        </button>
      </div>
    </div>
  );
}
