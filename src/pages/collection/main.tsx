import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CollectionCard } from '../shared/collection-card.tsx';
import { plainText } from '../shared/plain-text.ts';
import { ExplorerLink } from '../shared/explorer-link.tsx';
import { Language, PageHeader, useTexts, visitorsLanguage } from '../shared/visitors/language.tsx';
import { readSettings, type Chain, type Settings } from '../shared/visitors/settings.ts';
import type { Texts } from '../shared/visitors/texts.ts';
import { IssuerCard } from './issuer-card.tsx';
import { placeOf, readCollection, type Collection, type Place } from './read-collection.ts';
import { useCollectionTexts } from './texts.ts';
import { Tokens } from './tokens.tsx';

/** The collection while it is read: `undefined`; if it cannot be: `failed`; if there is none: `missing`. */
type Read = Collection | 'failed' | 'missing' | undefined;

function CollectionView(props: { readonly place: Place; readonly chain: Chain; readonly settings: Settings }) {
  const { place, chain, settings } = props;
  const own = useCollectionTexts();
  const [read, setRead] = useState<Read>();
  const start = () => {
    setRead(undefined);
    void readCollection(place, settings).then(
      (found) => setRead(found ?? 'missing'),
      () => setRead('failed'),
    );
  };
  useEffect(start, []);
  const name = typeof read === 'object' ? read.document.name : undefined;
  useEffect(() => {
    document.title = name === undefined ? own.title : `${plainText(name)} · ${own.title}`;
  }, [name, own]);
  if (typeof read !== 'object') {
    return (
      <section class="card">
        <h1>{own.title}</h1>
        <p role="status">{read === 'failed' ? own.failed : read === 'missing' ? own.notFound : own.loading}</p>
        {read === 'failed' && (
          <button type="button" onClick={start}>
            {own.again}
          </button>
        )}
      </section>
    );
  }
  const { facts } = read;
  return (
    <>
      <About collection={read} chain={chain} settings={settings} />
      <IssuerCard
        place={place}
        wallet={facts.ownerAddress?.toLowerCase() ?? null}
        hasPublishedCode={facts.hasPublishedCode}
        chain={chain}
        settings={settings}
      />
      <Tokens place={place} areCertificates={facts.contractType === 'certificate'} settings={settings} />
    </>
  );
}

/** What the collection says of itself, and what is known of its contract. */
function About(props: { readonly collection: Collection; readonly chain: Chain; readonly settings: Settings }) {
  const { collection, chain, settings } = props;
  const { document, facts } = collection;
  const texts = useTexts();
  const own = useCollectionTexts();
  const count = new Intl.NumberFormat(texts.language).format(facts.tokenCount);
  return (
    <CollectionCard
      heading="h1"
      texts={{ link: texts.links.external_url, pictureFailed: texts.pictureFailed }}
      document={document}
      ipfsGateway={settings.ipfsGateway}
    >
      <dl class="facts">
        <div class="wide">
          <dt>{texts.contract}</dt>
          <dd>
            <ExplorerLink chain={chain} address={facts.contractAddress} />
          </dd>
        </div>
        <div>
          <dt>{own.chain}</dt>
          <dd>{chain.title}</dd>
        </div>
        <div>
          <dt>{own.standard}</dt>
          <dd>
            ERC-{facts.ercStandard}, {own.kinds[facts.contractType]}
          </dd>
        </div>
        <div>
          <dt>{own.minted}</dt>
          <dd>{facts.hasMoreTokens ? own.moreThan(count) : count}</dd>
        </div>
      </dl>
      {chain.isTest && <p class="caution">{texts.testNetwork}</p>}
    </CollectionCard>
  );
}

function Page({ settings, onLanguage }: { readonly settings: Settings; readonly onLanguage: (texts: Texts) => void }) {
  const texts = useTexts();
  const own = useCollectionTexts();
  const [place] = useState(() => placeOf(location.pathname));
  const chain = settings.chains.find(({ id }) => id === place?.chainId);
  useEffect(() => {
    document.documentElement.lang = texts.language;
  }, [texts]);
  return (
    <main>
      <PageHeader title={own.title} onChange={onLanguage} />
      {place !== undefined && chain !== undefined ? (
        <CollectionView place={place} chain={chain} settings={settings} />
      ) : (
        <section class="card">
          <h1>{own.title}</h1>
          <p class="caution">{place === undefined ? own.badLink : texts.reasons.unknownChain(place.chainId)}</p>
        </section>
      )}
    </main>
  );
}

function App({ settings }: { readonly settings: Settings }) {
  const [texts, setTexts] = useState(visitorsLanguage);
  return (
    <Language.Provider value={texts}>
      <Page settings={settings} onLanguage={setTexts} />
    </Language.Provider>
  );
}

const app = document.getElementById('app');
if (app !== null) render(<App settings={readSettings()} />, app);
