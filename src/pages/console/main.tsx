import { render } from 'preact';
import { useState } from 'preact/hooks';
import { adminGet, adminKey } from './admin-api.ts';

function Console() {
  const [status, setStatus] = useState<unknown>();
  const [error, setError] = useState('');
  const signIn = async (key: string) => {
    adminKey.set(key);
    try {
      setStatus(await adminGet('/status'));
    } catch (failure) {
      adminKey.forget();
      setError(String(failure));
    }
  };
  if (status !== undefined) return <pre>{JSON.stringify(status, null, 2)}</pre>;
  return (
    <main>
      <h1>Console</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const key = new FormData(event.currentTarget).get('key');
          if (typeof key === 'string') void signIn(key);
        }}
      >
        <label>
          Admin key <input name="key" type="password" autocomplete="off" required />
        </label>
        <button type="submit">Sign in</button>
      </form>
      <p role="alert">{error}</p>
    </main>
  );
}

const app = document.getElementById('app');
if (app !== null) render(<Console />, app);
