import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApi, type ServiceApi } from './service-api.ts';

/** Something that is done once the person has confirmed it. */
export interface Confirmation {
  /** What the button says. */
  readonly text: string;
  /** What it does, and to what. */
  readonly question: ComponentChildren;
  /** What is done: a route of the API that is posted to, or any request. */
  readonly act: string | ((api: ServiceApi) => Promise<unknown>);
  readonly onDone: () => void;
}

/** A dialog that asks before something is done, and says why it could not be done. */
export function useConfirm(): {
  readonly ask: (what: Confirmation) => void;
  readonly dialog: ComponentChildren;
} {
  const api = useApi();
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState<Confirmation>();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (asked !== undefined) dialog.current?.showModal();
  }, [asked]);
  const run = async ({ act, onDone }: Confirmation) => {
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
  const onClose = () => {
    setAsked(undefined);
    setError('');
  };
  return {
    ask: setAsked,
    dialog: asked !== undefined && (
      <dialog ref={dialog} aria-label={asked.text} onClose={onClose}>
        <div class="question">{asked.question}</div>
        <p role="alert" class="bad">
          {error}
        </p>
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            No
          </button>
          <button type="button" class="primary" disabled={isBusy} onClick={() => void run(asked)}>
            Yes, {asked.text.charAt(0).toLowerCase() + asked.text.slice(1)}
          </button>
        </div>
      </dialog>
    ),
  };
}
