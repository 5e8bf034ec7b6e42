import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { checkUrl, type Settings } from './settings.ts';

/** Asks which certificate to check. */
export function StartForm({ settings }: { readonly settings: Settings }) {
  const [error, setError] = useState('');
  const start = (form: HTMLFormElement) => {
    const contractAddress = fieldText(form, 'contractAddress');
    const tokenId = fieldText(form, 'tokenId');
    const chainId = fieldText(form, 'chainId');
    if (!/^0x[0-9a-f]{40}$/i.test(contractAddress)) setError('The contract must be 0x and 40 hex digits.');
    else if (!/^\d{1,78}$/.test(tokenId) || BigInt(tokenId) >= 2n ** 256n)
      setError('The number must consist of digits.');
    else
      location.assign(checkUrl(settings, { contractAddress, tokenId, chainId: chainId === '' ? undefined : chainId }));
  };
  return (
    <main>
      <section class="card">
        <h1>Check a certificate</h1>
        <p class="muted">Your browser asks the chain itself. Nobody needs to be trusted, not even this site.</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            start(event.currentTarget);
          }}
        >
          <label>
            Contract
            <input name="contractAddress" placeholder="0x…" autocomplete="off" spellcheck={false} required />
          </label>
          <label>
            Number of the certificate
            <input name="tokenId" inputmode="numeric" autocomplete="off" required />
          </label>
          <label>
            Chain
            <select name="chainId">
              <option value="">The one that has the contract</option>
              {settings.chains.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <p role="alert">{error}</p>
          <button type="submit" class="primary">
            Check
          </button>
        </form>
      </section>
    </main>
  );
}
