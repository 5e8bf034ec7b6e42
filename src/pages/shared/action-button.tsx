import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useApi, type ServiceApi } from './service-api.ts';

/** A button that does something after a question, and says why it could not. */
export function ActionButton<Reply>(props: {
  readonly text: string;
  /** What it does, as a question. */
  readonly question: ComponentChildren;
  /** What is done: a route of the API that is posted to, or any request. */
  readonly act: string | ((api: ServiceApi) => Promise<Reply>);
  readonly onDone: () => void;
}) {
  const { text, question, act, onDone } = props;
  const api = useApi();
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setError('');
    try {
      await (typeof act === 'string' ? api.post(act) : act(api));
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
          <button type="button" class="primary" disabled={isBusy} onClick={() => void run()}>
            Yes, {text.toLowerCase()}
          </button>
        </div>
      </dialog>
    </>
  );
}
