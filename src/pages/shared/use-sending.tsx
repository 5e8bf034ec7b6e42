import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/**
 * Sends what a form says, and says what came of it: the error, or that it is done.
 * `send` takes what is done; it resolves with what to say.
 */
export function useSending(): {
  readonly isBusy: boolean;
  readonly said: ComponentChildren;
  readonly send: (act: () => Promise<string>) => Promise<void>;
} {
  const [state, setState] = useState({ isBusy: false, error: '', done: '' });
  const send = async (act: () => Promise<string>) => {
    setState({ isBusy: true, error: '', done: '' });
    try {
      const done = await act();
      setState({ isBusy: false, error: '', done });
    } catch (failure) {
      setState({ isBusy: false, error: failure instanceof Error ? failure.message : String(failure), done: '' });
    }
  };
  const said = (
    <>
      <p role="alert" class="bad row">
        {state.error}
      </p>
      <p role="status" class="good row">
        {state.done}
      </p>
    </>
  );
  return { isBusy: state.isBusy, said, send };
}
