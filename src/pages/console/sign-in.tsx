import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { adminGet, adminKey } from './admin-api.ts';

/** Asks for the admin key, and keeps it for this tab if the service accepts it. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const signIn = async (key: string) => {
    setBusy(true);
    adminKey.set(key);
    try {
      await adminGet('/admin/webhooks');
      onSignedIn();
    } catch (failure) {
      adminKey.forget();
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <h1>Console</h1>
      <p class="muted">
        For the operator of this service. The key stays in this tab and is forgotten when you close it.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(fieldText(event.currentTarget, 'key'));
        }}
      >
        <label>
          Admin key
          <input name="key" type="password" autocomplete="off" required />
        </label>
        <p role="alert" class="bad">
          {error}
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
