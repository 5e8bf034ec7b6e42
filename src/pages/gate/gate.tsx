import { useEffect, useRef, useState } from 'preact/hooks';
import { signOut } from '../shared/service-api.ts';
import { Camera } from './camera.tsx';
import { gateApi, redeem, type Verdict } from './redeem.ts';
import { playSound } from './sound.ts';

/** What is shown of the last ticket. */
type Shown =
  | { readonly kind: 'ready' }
  /** The service is asked; `isSilent` once a reply is missing. */
  | { readonly kind: 'asking'; readonly code: string; readonly isSilent: boolean }
  | (Verdict & { readonly code: string });

const WORDS = { ready: 'Ready', asking: 'Wait', open: 'Open', stop: 'Stop', undecided: 'Not decided' };
const EXPLANATIONS = {
  ready: 'Scan a ticket',
  open: 'Let the visitor in',
  undecided: 'The service did not reply. Show the ticket again; it still counts once',
};

/** Takes codes from a scanner, a keyboard or the camera, one at a time, and says whether the gate opens. */
export function Gate() {
  const input = useRef<HTMLInputElement>(null);
  const isBusy = useRef(false);
  const [shown, setShown] = useState<Shown>({ kind: 'ready' });
  const [hasCamera, setCamera] = useState(false);
  const isOnline = useOnline();

  const decide = async (code: string) => {
    setShown({ kind: 'asking', code, isSilent: false });
    const verdict = await redeem(code, () => setShown({ kind: 'asking', code, isSilent: true }));
    playSound(verdict.kind);
    setShown({ ...verdict, code });
    isBusy.current = false;
  };
  /** @returns whether the code is taken; not while another one is asked for. */
  const take = (text: string): boolean => {
    const code = text.trim();
    if (code === '' || isBusy.current) return false;
    isBusy.current = true;
    void decide(code);
    return true;
  };

  return (
    <>
      <header class="top">
        <span class="brand">Gate</span>
        <button type="button" class="quiet" onClick={() => signOut(gateApi)}>
          Sign out
        </button>
      </header>
      <main>
        <h1 class="visually-hidden">Gate</h1>
        <p role="alert" class="offline">
          {!isOnline && 'No connection. Tickets cannot be decided until it is back.'}
        </p>
        <p role="status" class={`verdict ${shown.kind}`}>
          <strong>{WORDS[shown.kind]}</strong>
          <span>{explanationOf(shown)}</span>
          {'code' in shown && <code>{shown.code}</code>}
        </p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (input.current !== null && take(input.current.value)) input.current.value = '';
          }}
        >
          <label for="code">Ticket</label>
          <input
            id="code"
            ref={input}
            required
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            // A scanner types, and must find the field.
            autofocus
          />
          <button type="submit" class="primary">
            Use
          </button>
          <button type="button" aria-pressed={hasCamera} onClick={() => setCamera(!hasCamera)}>
            {hasCamera ? 'Stop the camera' : 'Use the camera'}
          </button>
        </form>
        {hasCamera && <Camera take={take} />}
      </main>
    </>
  );
}

function explanationOf(shown: Shown): string {
  if (shown.kind === 'stop') return shown.reason;
  if (shown.kind !== 'asking') return EXPLANATIONS[shown.kind];
  return shown.isSilent ? 'No reply yet. The ticket is sent again; let nobody in before it is decided' : '';
}

/** Whether the device has a network. */
function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    window.addEventListener('online', update);
    window.addEventListener('offline', update);
    return () => {
      window.removeEventListener('online', update);
      window.removeEventListener('offline', update);
    };
  }, []);
  return isOnline;
}
