import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CertificateCard } from './certificate-card.tsx';
import { checkCertificate, type Step, type Verdict } from './check-certificate.ts';
import { NodeForm } from './node-form.tsx';
import { QrDialog } from './qr-dialog.tsx';
import { download, savedPage } from './saved-page.ts';
import { certificateOf, checkUrl, readSettings, type Certificate, type Settings } from './settings.ts';
import { StartForm } from './start-form.tsx';
import { StepList } from './step-list.tsx';
import { readTokenFacts, type TokenFacts } from './token-facts.ts';
import { VerdictBanner } from './verdict-banner.tsx';

function Check({ certificate, served }: { readonly certificate: Certificate; readonly served: Settings }) {
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
      if ('chain' in result) ifCurrent(setFacts)(await readTokenFacts(result.chain, certificate));
    })();
    return () => {
      isCurrent = false;
    };
  }, [certificate, settings]);

  const found = verdict !== undefined && 'content' in verdict ? verdict : undefined;
  return (
    <main>
      <p class="page-title">Certificate check</p>
      <VerdictBanner verdict={verdict} certificate={certificate} settings={settings} />
      {found !== undefined && (
        <CertificateCard
          {...found}
          isGenuine={found.type === 'genuine'}
          certificate={certificate}
          facts={facts}
          settings={settings}
        />
      )}
      <div class="actions">
        <QrDialog url={checkUrl(settings, certificate)} />
        {found?.type === 'genuine' && (
          <button
            type="button"
            onClick={() =>
              download(
                savedPage(served, certificate, found.chain.id, found.content.canonical),
                `certificate-${certificate.contractAddress}-${certificate.tokenId}.html`,
              )
            }
          >
            Save as a file
          </button>
        )}
        <button type="button" disabled={verdict === undefined} onClick={() => setSettings({ ...settings })}>
          Check again
        </button>
      </div>
      <StepList steps={steps} canonical={found?.content.canonical} isAltered={found?.type === 'altered'} />
      <section class="card">
        <h2>What this proves</h2>
        <p>
          A genuine certificate says exactly what its issuer wrote when it was issued, and nobody has changed it since.
          The contract and the wallet above tell who the issuer is only if you compare them with what the issuer
          publishes.
          {found?.type === 'genuine' &&
            served.saved === undefined &&
            ' The file that you can save checks the certificate without this site.'}
        </p>
        <NodeForm settings={settings} onChange={setSettings} />
      </section>
    </main>
  );
}

const settings = readSettings();
const certificate = certificateOf(settings, location);
const app = document.getElementById('app');
if (app !== null) {
  render(
    certificate === undefined ? (
      <StartForm settings={settings} />
    ) : (
      <Check certificate={certificate} served={settings} />
    ),
    app,
  );
}
