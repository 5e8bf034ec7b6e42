import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { linkOf, type Claim, type Link } from './claim-api.ts';
import { ConfirmForm } from './confirm-form.tsx';
import { KeyCard } from './key.tsx';
import { Language, PageHeader, useTexts, visitorsLanguage } from './language.tsx';
import { ReceiverForm, type Receiver } from './receiver-form.tsx';
import { settings } from './settings.ts';
import { Notice, StateCard } from './state-card.tsx';
import { TokenCard } from './token-card.tsx';
import { useClaim } from './use-claim.ts';

function ClaimPage({ link }: { readonly link: Link | undefined }) {
  const texts = useTexts();
  const { state, show, readAgain } = useClaim(link);
  if (link === undefined || state.type === 'dead') return <Notice title={texts.deadTitle} text={texts.dead} />;
  if (state.type === 'silent') return <Notice title={texts.silentTitle} text={texts.silent} />;
  if (state.type !== 'read') return <Notice title={texts.loading} />;
  const { claim } = state;
  const chain = settings.chains.find(({ id }) => id === claim.chainId);
  return (
    <>
      <StateCard claim={claim} chain={chain} />
      <TokenCard claim={claim} chain={chain} />
      {claim.status === 'CLAIMED' && <KeyCard />}
      {claim.status === 'OPEN' && <ClaimForm link={link} claim={claim} onClaimed={show} onClosed={readAgain} />}
    </>
  );
}

function ClaimForm(props: {
  readonly link: Link;
  readonly claim: Claim;
  readonly onClaimed: (claim: Claim) => void;
  readonly onClosed: () => void;
}) {
  const [receiver, setReceiver] = useState<Receiver>();
  return receiver === undefined ? (
    <ReceiverForm onChoose={setReceiver} />
  ) : (
    <ConfirmForm {...props} receiver={receiver} onBack={() => setReceiver(undefined)} />
  );
}

function App() {
  const [texts, setTexts] = useState(visitorsLanguage);
  const [link] = useState(() => linkOf(location));
  useEffect(() => {
    document.documentElement.lang = texts.language;
    document.title = texts.pageTitle;
  }, [texts]);
  return (
    <Language.Provider value={texts}>
      <main>
        <PageHeader onChange={setTexts} />
        <ClaimPage link={link} />
      </main>
    </Language.Provider>
  );
}

const app = document.getElementById('app');
if (app !== null) render(<App />, app);
