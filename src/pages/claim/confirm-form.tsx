import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { claimToken, Refusal, type Claim, type Link } from './claim-api.ts';
import { useTexts } from './language.tsx';
import { Key } from './key.tsx';
import type { Receiver } from './receiver-form.tsx';
import type { Texts } from './texts.ts';

interface Props {
  readonly link: Link;
  readonly claim: Claim;
  readonly receiver: Receiver;
  readonly onClaimed: (claim: Claim) => void;
  /** Called if it can no longer be claimed. */
  readonly onClosed: () => void;
  readonly onBack: () => void;
}

/** The one confirmation, which shows the address that the token will go to. */
export function ConfirmForm({ link, claim, receiver, onClaimed, onClosed, onBack }: Props) {
  const texts = useTexts();
  const [isClaiming, setIsClaiming] = useState(false);
  const [error, setError] = useState('');
  const send = async (pin: string) => {
    setIsClaiming(true);
    setError('');
    try {
      const receiverAddress = receiver.address;
      onClaimed(await claimToken(link, { receiverAddress, pin: pin === '' ? undefined : pin }));
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.code === 'claim_not_open') onClosed();
      else setError(explain(refusal, texts));
    }
    setIsClaiming(false);
  };
  return (
    <section class="card">
      <h2>{texts.confirmTitle}</h2>
      <p>{texts.goesTo}</p>
      <p class="receiver mono">{receiver.address}</p>
      {receiver.privateKey !== undefined && <Key privateKey={receiver.privateKey} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(fieldText(event.currentTarget, 'pin'));
        }}
      >
        {claim.needsPin && (
          <label>
            {texts.pin}
            <input name="pin" inputmode="numeric" autocomplete="off" pattern="[0-9]{4,12}" required />
          </label>
        )}
        <p role="alert">{error}</p>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isClaiming}>
            {isClaiming ? texts.claiming : texts.claim}
          </button>
          <button type="button" disabled={isClaiming} onClick={onBack}>
            {texts.other}
          </button>
        </div>
      </form>
    </section>
  );
}

/** Why the token could not be claimed, in the visitor's language. */
function explain(refusal: unknown, texts: Texts): string {
  if (!(refusal instanceof Refusal)) return texts.failed;
  if (refusal.code === 'wrong_pin') return texts.wrongPin(/\d+$/.exec(refusal.message)?.[0] ?? '0');
  if (refusal.paths.includes('receiverAddress')) return texts.badAddress;
  return refusal.code === 'rate_limited' ? texts.tooMany : texts.failed;
}
