import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isAddress } from 'viem/utils';
import { fieldText } from '../shared/field-text.ts';
import { useTexts } from './language.tsx';
import { makePasskeyWallet, usePasskeyWallet, type PasskeyWallet } from './passkey-wallet.ts';
import { useCanUsePasskeys } from './use-can-use-passkeys.ts';
import { addressOf, findWallets, type Wallet } from './wallets.ts';

/** Who is to get the token: an address, or a wallet that follows from a passkey. */
export type Receiver = Pick<PasskeyWallet, 'address'> & Partial<PasskeyWallet>;

interface Props {
  readonly onChoose: (receiver: Receiver) => void;
}

/** The ways to say who is to get the token. */
export function ReceiverForm({ onChoose }: Props) {
  const texts = useTexts();
  return (
    <section class="card">
      <h2>{texts.receiverTitle}</h2>
      <p class="muted">{texts.free}</p>
      <div class="ways">
        <Wallets onChoose={onChoose} />
        <AddressForm onChoose={onChoose} />
        <Passkeys onChoose={onChoose} />
      </div>
    </section>
  );
}

function Way(props: { readonly title: string; readonly error: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <h3>{props.title}</h3>
      {props.children}
      <p role="alert">{props.error}</p>
    </div>
  );
}

function Wallets({ onChoose }: Props) {
  const texts = useTexts();
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  const [error, setError] = useState('');
  useEffect(() => findWallets(setWallets), []);
  if (wallets.length === 0) return null;
  const connect = async (wallet: Wallet) => {
    setError('');
    const address = await addressOf(wallet);
    if (address === undefined) setError(texts.connectFailed);
    else onChoose({ address });
  };
  return (
    <Way title={texts.walletTitle} error={error}>
      <div class="buttons">
        {wallets.map((wallet, index) => (
          <button key={index} type="button" class="primary" onClick={() => void connect(wallet)}>
            {texts.connect(wallet.name ?? texts.browserWallet)}
          </button>
        ))}
      </div>
    </Way>
  );
}

/** Whether a text is the beginning of an address, or one with a valid checksum. */
function mayBecomeAddress(text: string): boolean {
  return /^(?:0(?:x[0-9a-f]{0,39})?)?$/i.test(text) || isAddress(text);
}

function AddressForm({ onChoose }: Props) {
  const texts = useTexts();
  const [error, setError] = useState('');
  return (
    <Way title={texts.addressTitle} error={error}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const address = fieldText(event.currentTarget, 'address');
          if (isAddress(address)) onChoose({ address });
          else setError(texts.badAddress);
        }}
      >
        <label>
          {texts.address}
          <input
            name="address"
            placeholder="0x…"
            autocomplete="off"
            spellcheck={false}
            required
            onInput={({ currentTarget: { value } }) => setError(mayBecomeAddress(value.trim()) ? '' : texts.badAddress)}
          />
        </label>
        <button type="submit">{texts.useAddress}</button>
      </form>
    </Way>
  );
}

function Passkeys({ onChoose }: Props) {
  const texts = useTexts();
  const canUse = useCanUsePasskeys();
  const [error, setError] = useState('');
  if (!canUse) return null;
  const choose = async (ask: () => Promise<PasskeyWallet | undefined>) => {
    setError('');
    const wallet = await ask();
    if (wallet === undefined) setError(texts.passkeyFailed);
    else onChoose(wallet);
  };
  return (
    <Way title={texts.passkeyTitle} error={error}>
      <p class="muted">{texts.passkey}</p>
      <div class="buttons">
        <button type="button" onClick={() => void choose(() => makePasskeyWallet(texts.passkeyName))}>
          {texts.makePasskey}
        </button>
        <button type="button" onClick={() => void choose(() => usePasskeyWallet())}>
          {texts.usePasskey}
        </button>
      </div>
    </Way>
  );
}
