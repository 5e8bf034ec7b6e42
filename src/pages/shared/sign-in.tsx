import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fieldText } from './field-text.ts';
import { ApiContext, type ServiceApi } from './service-api.ts';

interface SignInProps {
  readonly api: ServiceApi;
  readonly title: string;
  readonly label: string;
  /** What the page is for, above the form. */
  readonly intro: ComponentChildren;
  /** Below the form. */
  readonly help?: ComponentChildren;
  /** Makes a request with the key. It throws if the key is not accepted. */
  readonly tryKey: () => Promise<unknown>;
}

/** What needs a key, once the tab has one; before, what asks for it. */
export function WithKey({ children, ...signIn }: SignInProps & { readonly children: ComponentChildren }) {
  const [isSignedIn, setSignedIn] = useState(signIn.api.key !== null);
  return (
    <ApiContext value={signIn.api}>
      {isSignedIn ? children : <SignIn {...signIn} onSignedIn={() => setSignedIn(true)} />}
    </ApiContext>
  );
}

function SignIn(props: SignInProps & { readonly onSignedIn: () => void }) {
  const { title, intro, help } = props;
  return (
    <main class="sign-in">
      <h1>{title}</h1>
      <p class="muted">{intro}</p>
      <SignInForm {...props} />
      {help}
    </main>
  );
}

/** Asks for a key, and keeps it for this tab if the service accepts it. */
export function SignInForm(props: Pick<SignInProps, 'api' | 'label' | 'tryKey'> & { readonly onSignedIn: () => void }) {
  const { api, label, tryKey, onSignedIn } = props;
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const signIn = async (key: string) => {
    setBusy(true);
    try {
      api.keepKey(key);
      await tryKey();
      onSignedIn();
    } catch (failure) {
      api.forgetKey();
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
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
  );
}
