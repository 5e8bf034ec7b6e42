import { ActionButton } from '../shared/action-button.tsx';
import { fieldText } from '../shared/field-text.ts';
import { Field } from '../shared/form.tsx';
import { formatMoment } from '../shared/format.ts';
import { useConfirm } from '../shared/use-confirm.tsx';
import type { AccountDetail } from './replies.ts';

/** Who an account is to the public, to confirm and to withdraw. */
export function Issuer({ account, onChanged }: { readonly account: AccountDetail; readonly onChanged: () => void }) {
  const { corporateId, name, issuer } = account;
  const path = `/admin/accounts/${encodeURIComponent(corporateId)}/issuer`;
  return (
    <>
      {issuer === null ? (
        <p class="muted">Not confirmed: the certificate check shows the issuer as unknown.</p>
      ) : (
        <>
          <Confirmed account={account} issuer={issuer} />
          <div class="buttons">
            <ActionButton
              text="Withdraw"
              question={`Within a minute, the certificate check shows the issuer of the certificates of ${name} as unknown, instead of ${issuer.name}.`}
              act={(api) => api.send(path, { method: 'DELETE' })}
              onDone={onChanged}
            />
          </div>
        </>
      )}
      <IssuerForm account={account} path={path} onChanged={onChanged} />
    </>
  );
}

const proofUrl = (domain: string) => `https://${domain}/.well-known/nft-issuer.json`;

function Confirmed(props: { readonly account: AccountDetail; readonly issuer: NonNullable<AccountDetail['issuer']> }) {
  const { issuer, account } = props;
  const rows = [
    ['Public name', issuer.name],
    ['Domain', issuer.domain],
    ['Logo', <Outside url={issuer.logoUrl} />],
    ['Confirmed', formatMoment(issuer.confirmedAt)],
    ['Credentials name', issuer.publishesDid ? issuer.domain : 'this service'],
    [
      'Proof',
      <>
        <Outside url={proofUrl(issuer.domain)} /> must name the wallet <span class="mono">{account.walletAddress}</span>
        . Whoever checks a certificate reads it then.
      </>,
    ],
  ] as const;
  return (
    <dl class="fields">
      {rows.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd class="wrap">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Outside({ url }: { readonly url: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  );
}

function IssuerForm(props: { readonly account: AccountDetail; readonly path: string; readonly onChanged: () => void }) {
  const { account, path, onChanged } = props;
  const { ask, dialog } = useConfirm();
  const askFor = (form: HTMLFormElement) => {
    const [name = '', logoUrl = '', domain = ''] = ['name', 'logoUrl', 'domain'].map((field) => fieldText(form, field));
    const publishesDid = new FormData(form).has('publishesDid');
    ask({
      text: 'Confirm issuer',
      question: `The certificate check shows ${name} with the logo at ${logoUrl} as the issuer of certificates of the wallet ${account.walletAddress}, once ${proofUrl(domain)} names it. Confirm it only if you know that the company is ${name} and owns ${domain}: whoever sees it relies on you.`,
      act: (api) => api.send(path, { method: 'PUT', body: { name, logoUrl, domain, publishesDid } }),
      onDone: () => {
        form.reset();
        onChanged();
      },
    });
  };
  return (
    <>
      <h3>{account.issuer === null ? 'Confirm who it is' : 'Replace it'}</h3>
      <form
        class="form"
        aria-label="Confirm the issuer"
        onSubmit={(event) => {
          event.preventDefault();
          askFor(event.currentTarget);
        }}
      >
        <Field label="Public name">
          <input name="name" required maxlength={100} />
        </Field>
        <Field label="Logo (https)">
          <input name="logoUrl" type="url" required placeholder="https://…" />
        </Field>
        <Field label="Domain">
          <input name="domain" required placeholder="watches.example" spellcheck={false} />
        </Field>
        <label>
          <input type="checkbox" name="publishesDid" /> Its /.well-known/did.json has the keys of its credentials
        </label>
        <div class="buttons row">
          <button type="submit" class="primary">
            Confirm issuer
          </button>
        </div>
      </form>
      {dialog}
    </>
  );
}
