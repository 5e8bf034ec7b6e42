import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CertificateCard } from './certificate-card.tsx';
import { checkCertificate, type Step, type Verdict } from './check-certificate.ts';
import { Language, PageHeader, useTexts, visitorsLanguage } from '../shared/visitors/language.tsx';
import { NodeForm } from './node-form.tsx';
import { QrDialog } from './qr-dialog.tsx';
import { documentOf, ResultCard } from './result-card.tsx';
import { download, savedPage } from './saved-page.ts';
import { certificateOf, checkUrl, readSettings, type Certificate, type Settings } from '../shared/visitors/settings.ts';
import { StartForm } from './start-form.tsx';
import { StepList } from './step-list.tsx';
import { readTokenFacts, type TokenFacts } from './token-facts.ts';
import { textOf } from '../shared/visitors/values.ts';

function Check({ certificate, served }: { readonly certificate: Certificate; readonly served: Settings }) {
  const texts = useTexts();
  const [settings, setSettings] = useState(served);
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [verdict, setVerdict] = useState<Verdict>();
  const [facts, setFacts] = useState<TokenFacts>();
  useEffect(() => {
    let isCurrent = true;
    const ifCurrent =
      <Value,>(set: (value: Value) => void) =>
      (value: Value) => {
        if (isCurrent) set(value);
      };
    setVerdict(undefined);
    setFacts(undefined);
    void (async () => {
      const result = await checkCertificate(certificate, settings, ifCurrent(setSteps));
      ifCurrent(setVerdict)(result);
      if ('content' in result && result.type !== 'unverified') {
        ifCurrent(setFacts)(await readTokenFacts(result.chain, certificate));
      }
    })();
    return () => {
      isCurrent = false;
    };
  }, [certificate, settings]);

  const name = documentOf(verdict)?.['name'];
  useEffect(() => {
    document.title = name === undefined ? texts.pageTitle : `${textOf(name, texts)} · ${texts.pageTitle}`;
  }, [name, texts]);

  const found = verdict !== undefined && 'content' in verdict ? verdict : undefined;
  const original = found?.type === 'confirmed' || found?.type === 'unaltered' ? found : undefined;
  const chainId = verdict !== undefined && 'chain' in verdict ? verdict.chain.id : certificate.chainId;
  return (
    <>
      <ResultCard verdict={verdict} certificate={certificate} settings={settings} />
      <div class="actions">
        <QrDialog url={checkUrl(settings, { ...certificate, chainId })} />
        {original !== undefined && (
          <button
            type="button"
            onClick={() =>
              download(
                savedPage(served, certificate, original.chain.id, original.content.canonical, original.code),
                `certificate-${certificate.contractAddress}-${certificate.tokenId}.html`,
              )
            }
          >
            {texts.save}
          </button>
        )}
        <button type="button" disabled={verdict === undefined} onClick={() => setSettings({ ...settings })}>
          {texts.again}
        </button>
      </div>
      {found !== undefined && (
        <CertificateCard {...found} certificate={certificate} facts={facts} settings={settings} />
      )}
      <StepList steps={steps} canonical={found?.content.canonical} isAltered={found?.type === 'altered'} />
      <section class="card">
        {verdict !== undefined && (
          <>
            <h2>{texts.proofTitle}</h2>
            <p>
              {texts.proofs[verdict.type]}
              {'code' in verdict && typeof verdict.code === 'string' && ` ${texts.ifHonest}`}
              {original !== undefined && served.saved === undefined && ` ${texts.saveProof}`}
            </p>
          </>
        )}
        <NodeForm settings={settings} onChange={setSettings} />
      </section>
    </>
  );
}

function App({ settings }: { readonly settings: Settings }) {
  const [texts, setTexts] = useState(visitorsLanguage);
  const [certificate] = useState(() => certificateOf(settings, location));
  useEffect(() => {
    document.documentElement.lang = texts.language;
    if (certificate === undefined) document.title = texts.pageTitle;
  }, [texts, certificate]);
  return (
    <Language.Provider value={texts}>
      <main>
        <PageHeader onChange={setTexts} />
        {certificate === undefined ? (
          <StartForm
            settings={settings}
            isBadLink={settings.archive === undefined ? location.pathname !== '/verify' : location.search !== ''}
          />
        ) : (
          <Check certificate={certificate} served={settings} />
        )}
      </main>
    </Language.Provider>
  );
}

const app = document.getElementById('app');
if (app !== null) render(<App settings={readSettings()} />, app);
