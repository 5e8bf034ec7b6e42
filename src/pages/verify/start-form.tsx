import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { useTexts } from '../shared/visitors/language.tsx';
import { checkUrl, type Settings } from '../shared/visitors/settings.ts';

/** Asks which certificate to check. @param isBadLink Whether the page's address names none. */
export function StartForm({ settings, isBadLink }: { readonly settings: Settings; readonly isBadLink: boolean }) {
  const texts = useTexts();
  const [error, setError] = useState('');
  const start = (form: HTMLFormElement) => {
    const contractAddress = fieldText(form, 'contractAddress');
    const tokenId = fieldText(form, 'tokenId');
    const chainId = fieldText(form, 'chainId');
    if (!/^0x[0-9a-f]{40}$/i.test(contractAddress)) setError(texts.badContract);
    else if (!/^\d{1,78}$/.test(tokenId) || BigInt(tokenId) >= 2n ** 256n) setError(texts.badNumber);
    else
      location.assign(checkUrl(settings, { contractAddress, tokenId, chainId: chainId === '' ? undefined : chainId }));
  };
  return (
    <section class="card">
      <h1>{texts.startTitle}</h1>
      {isBadLink && <p class="caution">{texts.badLink}</p>}
      <p class="muted">{texts.startText}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start(event.currentTarget);
        }}
      >
        <label>
          {texts.contract}
          <input name="contractAddress" placeholder="0x…" autocomplete="off" spellcheck={false} required />
        </label>
        <label>
          {texts.numberOfCertificate}
          <input name="tokenId" inputmode="numeric" autocomplete="off" required />
        </label>
        <label>
          {texts.values.chain}
          <select name="chainId">
            <option value="">{texts.anyChain}</option>
            {settings.chains.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <p role="alert">{error}</p>
        <button type="submit" class="primary">
          {texts.check}
        </button>
      </form>
    </section>
  );
}
