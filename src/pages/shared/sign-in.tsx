import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fieldText } from './field-text.ts';
import { useApi, type ServiceApi } from './service-api.ts';

/** Asks for a key, and keeps it for this tab if the service accepts it. */
export function SignIn(props: {
  readonly title: string;
  readonly label: string;
  /** What the page is for, above the form. */
  readonly intro: ComponentChildren;
  /** Makes a request with the key. It throws if the key is not accepted. */
  readonly tryKey: (api: ServiceApi) => Promise<unknown>;
  readonly onSignedIn: () => void;
  readonly children?: ComponentChildren;
}) {
  const { title, label, intro, tryKey, onSignedIn, children } = props;
  const api = useApi();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const signIn = async (key: string) => {
    setBusy(true);
    try {
      api.keepKey(key);
      await tryKey(api);
      onSignedIn();
    } catch (failure) {
      api.forgetKey();
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <h1>{title}</h1>
      <p class="muted">{intro}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(fieldText(event.currentTarget, 'key'));
        }}
      >
        <label>
          {label}
          <input name="key" type="password" autocomplete="off" required />
        </label>
        <p role="alert" class="bad">
          {error}
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
      {children}
    </main>
  );
}
