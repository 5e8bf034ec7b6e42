/** Goes to newer and older items of a list. */
export function Pager(props: {
  /** Undefined on the first page. */
  readonly onNewer: (() => void) | undefined;
  /** Undefined on the last page. */
  readonly onOlder: (() => void) | undefined;
}) {
  const { onNewer, onOlder } = props;
  return (
    <div class="buttons">
      <button type="button" disabled={onNewer === undefined} onClick={onNewer}>
        Newer
      </button>
      <button type="button" disabled={onOlder === undefined} onClick={onOlder}>
        Older
      </button>
    </div>
  );
}
