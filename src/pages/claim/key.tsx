import { useState } from 'preact/hooks';
import { useTexts } from './language.tsx';
import { usePasskeyWallet, type PasskeyWallet } from './passkey-wallet.ts';
import { useCanUsePasskeys } from './use-can-use-passkeys.ts';

/** The key of a wallet that follows from a passkey, for its holder to keep. */
export function Key({ privateKey }: Pick<PasskeyWallet, 'privateKey'>) {
  const texts = useTexts();
  const [isShown, setIsShown] = useState(false);
  return (
    <div>
      <h3>{texts.key}</h3>
      <p class="muted">{texts.keyWarning}</p>
      {isShown && <p class="key mono">{privateKey}</p>}
      <div class="buttons">
        <button type="button" onClick={() => setIsShown(!isShown)}>
          {isShown ? texts.hideKey : texts.showKey}
        </button>
      </div>
    </div>
  );
}

/** Derives the key again, for a holder who has not kept it. */
export function KeyCard() {
  const texts = useTexts();
  const canUse = useCanUsePasskeys();
  const [wallet, setWallet] = useState<PasskeyWallet>();
  const [error, setError] = useState('');
  if (!canUse) return null;
  const derive = async () => {
    const derived = await usePasskeyWallet();
    setError(derived === undefined ? texts.passkeyFailed : '');
    setWallet(derived);
  };
  return (
    <section class="card">
      <h2>{texts.keyAgainTitle}</h2>
      <p class="muted">{texts.keyAgain}</p>
      {wallet === undefined ? (
        <div class="buttons">
          <button type="button" onClick={() => void derive()}>
            {texts.usePasskey}
          </button>
        </div>
      ) : (
        <>
          <p class="receiver mono">{wallet.address}</p>
          <Key privateKey={wallet.privateKey} />
        </>
      )}
      <p role="alert">{error}</p>
    </section>
  );
}
