import { useRef, useState } from 'preact/hooks';
import { adminPost } from './admin-api.ts';

/** A button that does something after a question, and says why it could not. */
export function ActionButton(props: {
  readonly text: string;
  /** What it does, as a question. */
  readonly question: string;
  /** What is done: a route of the API. */
  readonly path: string;
  readonly onDone: () => void;
}) {
  const { text, question, path, onDone } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    setError('');
    try {
      await adminPost(path);
      dialog.current?.close();
      onDone();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {text}
      </button>
      <dialog ref={dialog} aria-label={text}>
        <p>{question}</p>
        <p role="alert" class="bad">
          {error}
        </p>
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            No
          </button>
          <button type="button" class="primary" disabled={isBusy} onClick={() => void act()}>
            Yes, {text.toLowerCase()}
          </button>
        </div>
      </dialog>
    </>
  );
}
