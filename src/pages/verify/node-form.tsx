import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { useTexts } from '../shared/visitors/language.tsx';
import type { Settings } from '../shared/visitors/settings.ts';

/**
 * Lets a visitor who trusts none of the configured nodes ask another one. A link cannot do this: its sender could lie
 * with a node of his own.
 */
export function NodeForm(props: { readonly settings: Settings; readonly onChange: (settings: Settings) => void }) {
  const { settings, onChange } = props;
  const texts = useTexts();
  const [error, setError] = useState('');
  const use = (form: HTMLFormElement) => {
    const [chainId, url] = [fieldText(form, 'chainId'), fieldText(form, 'url')];
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
      setError(texts.badUrl);
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
      <summary>{texts.nodeTitle}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          use(event.currentTarget);
        }}
      >
        <label>
          {texts.values.chain}
          <select name="chainId">
            {settings.chains.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          {texts.nodeUrl}
          <input name="url" type="url" placeholder="https://" required />
        </label>
        <p role="alert">{error}</p>
        <button type="submit">{texts.nodeCheck}</button>
      </form>
    </details>
  );
}
