import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import type { Settings } from './settings.ts';

/**
 * Lets a visitor who trusts none of the configured nodes ask another one. A link cannot do this: its sender could lie
 * with a node of his own.
 */
export function NodeForm(props: { readonly settings: Settings; readonly onChange: (settings: Settings) => void }) {
  const { settings, onChange } = props;
  const [error, setError] = useState('');
  const use = (form: HTMLFormElement) => {
    const [chainId, url] = [fieldText(form, 'chainId'), fieldText(form, 'url')];
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
      setError('The URL must start with https://.');
      return;
    }
    setError('');
    onChange({
      ...settings,
      chains: settings.chains.map((chain) => (chain.id === chainId ? { ...chain, rpcUrls: [url] } : chain)),
    });
  };
  return (
    <details class="settings">
      <summary>Ask another chain node</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          use(event.currentTarget);
        }}
      >
        <label>
          Chain
          <select name="chainId">
            {settings.chains.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          URL of its JSON-RPC endpoint
          <input name="url" type="url" placeholder="https://" required />
        </label>
        <p role="alert">{error}</p>
        <button type="submit">Check with this node</button>
      </form>
    </details>
  );
}
