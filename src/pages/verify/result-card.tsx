import type { ComponentChildren } from 'preact';
import type { Verdict } from './check-certificate.ts';
import { Icon } from './icon.tsx';
import { checkUrl, type Certificate, type Settings } from './settings.ts';
import { expiryOf } from './values.ts';

/** The result in one sentence, announced to screen readers. */
export function VerdictBanner(props: {
  readonly verdict: Verdict | undefined;
  readonly certificate: Certificate;
  readonly settings: Settings;
}) {
  const { verdict } = props;
  const type = verdict?.type ?? 'running';
  return (
    <div class={`verdict ${type}`} role="status">
      <Icon name={ICONS[type]} />
      <div>
        <h1>{TITLES[type]}</h1>
        {verdict === undefined ? (
          <p>Your browser is asking the chain.</p>
        ) : (
          <Explanation {...props} verdict={verdict} />
        )}
      </div>
    </div>
  );
}

const ICONS = {
  genuine: 'done',
  altered: 'altered',
  revoked: 'altered',
  missing: 'failed',
  unknown: 'failed',
  running: 'running',
} as const;

const TITLES = {
  genuine: 'Genuine',
  altered: 'Altered',
  revoked: 'Revoked',
  missing: 'No such certificate',
  unknown: 'Cannot tell',
  running: 'Checking',
} as const;

function Explanation({
  verdict,
  certificate,
  settings,
}: {
  readonly verdict: Verdict;
  readonly certificate: Certificate;
  readonly settings: Settings;
}): ComponentChildren {
  if (verdict.type === 'genuine') {
    const expiry = expiryOf(verdict.content.document);
    return (
      <>
        <p>
          The document is exactly the one that this certificate was issued with on {verdict.chain.title}.
          {verdict.content.source === 'copy' && ' Its address did not serve it, so the copy in this file was checked.'}
        </p>
        {verdict.chain.isTest && <p class="caution">This is a test network. Certificates on it have no value.</p>}
        {expiry !== undefined && expiry.isPast && <p class="caution">By its own words it expired on {expiry.text}.</p>}
      </>
    );
  }
  if (verdict.type === 'altered') {
    return (
      <p>
        The document is not the one that this certificate was issued with on {verdict.chain.title}. At least one
        character has changed. Do not rely on what it says.
      </p>
    );
  }
  if (verdict.type === 'revoked') {
    const { revocation, chain } = verdict;
    return (
      <>
        <p>
          Its issuer, {revocation.by}, revoked this certificate on{' '}
          <time dateTime={revocation.at.toISOString()}>{revocation.at.toUTCString()}</time>. It is not valid any more,
          whatever its document says.
        </p>
        {chain.isTest && <p class="caution">This is a test network. Certificates on it have no value.</p>}
      </>
    );
  }
  if (verdict.type === 'missing') return <p>{verdict.reason}</p>;
  return (
    <>
      <p>{verdict.reason}</p>
      <div class="choices">
        {verdict.choices.map(({ id, title }) => (
          <a key={id} href={checkUrl(settings, { ...certificate, chainId: id })}>
            Check on {title}
          </a>
        ))}
      </div>
    </>
  );
}
