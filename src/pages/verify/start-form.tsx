import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { useTexts } from '../shared/visitors/language.tsx';
import { certificateIn, checkUrl, isTokenId, type Settings } from '../shared/visitors/settings.ts';

/** Takes a pasted link apart: contract, number and chain get their fields. */
function fillIn({ form, value }: HTMLInputElement): void {
  const linked = URL.canParse(value.trim()) ? certificateIn(new URL(value.trim())) : undefined;
  if (linked === undefined || form === null) return;
  for (const [name, text] of Object.entries(linked)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = text ?? '';
  }
}

/** Asks which certificate to check. @param isBadLink Whether the page's address names none. */
export function StartForm({ settings, isBadLink }: { readonly settings: Settings; readonly isBadLink: boolean }) {
  const texts = useTexts();
  const [error, setError] = useState('');
  const start = (form: HTMLFormElement) => {
    const contractAddress = fieldText(form, 'contractAddress');
    const tokenId = fieldText(form, 'tokenId');
    const chainId = fieldText(form, 'chainId');
    if (!/^0x[0-9a-f]{40}$/i.test(contractAddress)) setError(texts.badContract);
    else if (!isTokenId(tokenId)) setError(texts.badNumber);
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
          {texts.contractOrLink}
          <input
            name="contractAddress"
            placeholder="0x…"
            autocomplete="off"
            spellcheck={false}
            required
            onInput={({ currentTarget }) => fillIn(currentTarget)}
          />
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
