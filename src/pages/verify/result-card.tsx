import type { ComponentChildren } from 'preact';
import type { ContractCode, Verdict } from './check-certificate.ts';
import { pictureUrl } from './document-url.ts';
import { ExplorerLink } from '../shared/explorer-link.tsx';
import { IssuerName } from '../shared/visitors/issuer-name.tsx';
import { Icon } from '../shared/icon.tsx';
import { useTexts } from '../shared/visitors/language.tsx';
import { Picture } from '../shared/picture.tsx';
import { checkUrl, type Certificate, type Chain, type Settings } from '../shared/visitors/settings.ts';
import { isRecord } from '../shared/is-record.ts';
import { dateText, expiryOf, serialOf, textOf } from '../shared/visitors/values.ts';

interface Props {
  readonly certificate: Certificate;
  readonly settings: Settings;
}

/** The result: the verdict, which screen readers announce, who issued the certificate, and what it is about. */
export function ResultCard(props: Props & { readonly verdict: Verdict | undefined }) {
  const { verdict, settings } = props;
  const texts = useTexts();
  const type = verdict?.type ?? 'running';
  const document = documentOf(verdict);
  return (
    <section class={`result ${type}`}>
      <div class="verdict" role="status">
        <Icon name={ICONS[type]} />
        <div>
          <h1 dir="auto">
            {verdict?.type === 'revoked' && verdict.revocation.isOfUnits ? texts.noUnitLeft : texts.titles[type]}
            {verdict?.type === 'confirmed' && <IssuerName {...verdict.confirmation} />}
          </h1>
          {verdict === undefined ? <p>{texts.asking}</p> : <Explanation {...props} verdict={verdict} />}
        </div>
      </div>
      {document !== undefined && <Subject document={document} settings={settings} />}
      {verdict?.type === 'revoked' && document !== undefined && <p class="note">{texts.revokedDocument}</p>}
    </section>
  );
}

const ICONS = {
  confirmed: 'done',
  unaltered: 'question',
  unverified: 'failed',
  altered: 'altered',
  revoked: 'altered',
  missing: 'failed',
  unknown: 'failed',
  running: 'running',
} as const;

/** The document that says what the certificate is about; undefined if there is none to rely on. */
export function documentOf(verdict: Verdict | undefined): Readonly<Record<string, unknown>> | undefined {
  const document =
    verdict?.type === 'unaltered' || verdict?.type === 'confirmed'
      ? verdict.content.document
      : verdict?.type === 'revoked'
        ? verdict.document
        : undefined;
  return isRecord(document) ? document : undefined;
}

/** Picture, name and serial number. */
function Subject(props: { readonly document: Readonly<Record<string, unknown>>; readonly settings: Settings }) {
  const { document, settings } = props;
  const texts = useTexts();
  const image = pictureUrl(document['image'], settings);
  const serial = serialOf(document);
  return (
    <div class="subject">
      {image !== undefined && <Picture key={image} url={image} alt={texts.picture} failed={texts.pictureFailed} />}
      <div>
        <h2 dir="auto">{textOf(document['name'] ?? texts.certificate, texts)}</h2>
        {serial !== undefined && <p dir="auto">{texts.serialNumber(textOf(serial, texts))}</p>}
      </div>
    </div>
  );
}

function Explanation({ verdict, certificate, settings }: Props & { readonly verdict: Verdict }): ComponentChildren {
  const texts = useTexts();
  if (verdict.type === 'unaltered' || verdict.type === 'confirmed') {
    const { chain, content, wallet } = verdict;
    const expiry = expiryOf(content.document);
    return (
      <>
        {wallet === undefined ? (
          <p class="issuer">{texts.issuerUnread}</p>
        ) : (
          <p class="issuer">
            {verdict.type === 'confirmed' && `${texts.confirmedBy(verdict.confirmation.domain)} `}
            {texts.issuedBy} <ExplorerLink chain={chain} address={wallet} />. {texts.onlyWallet}
            {verdict.type === 'unaltered' &&
              ` ${verdict.unproven === undefined ? texts.unconfirmed : texts.unproven(verdict.unproven)}`}
          </p>
        )}
        <p>
          {texts.isOriginal(chain.title)}
          {content.source === 'copy' && ` ${texts.copyChecked}`}
        </p>
        <TestNetwork chain={chain} />
        {expiry !== undefined && expiry < new Date() && <p class="caution">{texts.expired(dateText(expiry, texts))}</p>}
      </>
    );
  }
  if (verdict.type === 'unverified') {
    return (
      <>
        <p class="caution">{texts.otherCode}</p>
        <p>{texts.isUnverified}</p>
        <TestNetwork chain={verdict.chain} />
      </>
    );
  }
  if (verdict.type === 'altered') {
    return (
      <>
        <p>{texts.isAltered(verdict.chain.title)}</p>
        <CodeCaution code={verdict.code} />
      </>
    );
  }
  if (verdict.type === 'revoked') {
    const { revocation, chain, code, reason } = verdict;
    return (
      <>
        <p>
          {texts.isRevoked}
          {revocation.isOfUnits && ` ${texts.unitsRevoked}`}
        </p>
        <dl class="facts">
          <div>
            <dt>{revocation.isOfUnits ? texts.lastRevokedOn : texts.revokedOn}</dt>
            <dd>
              <time dateTime={revocation.at.toISOString()}>{dateText(revocation.at, texts)}</time>
            </dd>
          </div>
          {reason !== undefined && (
            <div>
              <dt>{texts.reason}</dt>
              <dd dir="auto">{textOf(reason, texts)}</dd>
            </div>
          )}
          <div class="wide">
            <dt>{texts.revokedBy}</dt>
            <dd>
              <ExplorerLink chain={chain} address={revocation.by} />
            </dd>
          </div>
        </dl>
        <CodeCaution code={code} />
        <TestNetwork chain={chain} />
      </>
    );
  }
  if (verdict.type === 'missing') return <p>{verdict.reason(texts)}</p>;
  return (
    <>
      <p>{verdict.reason(texts)}</p>
      <div class="choices">
        {verdict.choices.map(({ id, title }) => (
          <a key={id} href={checkUrl(settings, { ...certificate, chainId: id })}>
            {texts.checkOn(title)}
          </a>
        ))}
      </div>
    </>
  );
}

function CodeCaution({ code }: { readonly code: ContractCode }) {
  const texts = useTexts();
  if (typeof code === 'object') return null;
  return <p class="caution">{code === 'other' ? texts.otherCode : texts.unreadCode}</p>;
}

function TestNetwork({ chain }: { readonly chain: Chain }) {
  const { testNetwork } = useTexts();
  return chain.isTest ? <p class="caution">{testNetwork}</p> : null;
}
