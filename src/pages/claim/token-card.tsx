import type { ComponentChildren } from 'preact';
import { ExplorerLink } from '../shared/explorer-link.tsx';
import { Icon } from '../shared/icon.tsx';
import { momentText } from '../shared/languages.tsx';
import { plainText } from '../shared/plain-text.ts';
import { Picture } from '../shared/picture.tsx';
import { safeUrl } from '../shared/safe-url.ts';
import { shortText } from '../shared/short-text.ts';
import type { Claim } from './claim-api.ts';
import { useTexts } from './language.tsx';
import { settings, type Chain } from './settings.ts';
import { useProof } from './use-proof.ts';

interface Props {
  readonly claim: Claim;
  readonly chain: Chain | undefined;
}

/** What the token is, and from whom. Its issuer chose every text and the picture. */
export function TokenCard(props: Props) {
  const { claim, chain } = props;
  const texts = useTexts();
  const image = safeUrl(claim.imageUrl, settings.ipfsGateway, 'image');
  return (
    <IssuerCard claim={claim}>
      <div class="subject">
        {image !== undefined && <Picture key={image} url={image} alt={texts.picture} failed={texts.pictureFailed} />}
        <div>
          <h2 dir="auto">{shortText(plainText(claim.name))}</h2>
          {claim.description !== null && (
            <p class="description" dir="auto" tabindex={0}>
              {claim.description}
            </p>
          )}
        </div>
      </div>
      <Facts {...props} />
      {claim.isCertificate && <p class="note">{texts.soulbound}</p>}
      {chain?.isTest === true && <p class="caution">{texts.testNetwork}</p>}
    </IssuerCard>
  );
}

/** Who issues the token: in one colour if the operator confirms it and the domain proves it, in another if not. */
function IssuerCard({ claim, children }: { readonly claim: Claim; readonly children: ComponentChildren }) {
  const texts = useTexts();
  const proof = useProof(claim);
  const { issuer } = claim;
  const state = issuer === null || proof === 'not given' ? 'unknown' : proof === 'given' ? 'confirmed' : 'running';
  const Heading = claim.status === 'OPEN' ? 'h1' : 'h2';
  return (
    <section class={`result ${state}`}>
      <div class="verdict">
        <Icon name={ICONS[state]} />
        <div>
          <Heading>
            {state === 'running' && texts.askingTitle}
            {state === 'unknown' && texts.unknownTitle}
            {state === 'confirmed' && issuer !== null && (
              <>
                {texts.from}{' '}
                <span class="issuer-name" dir="auto">
                  <img src={issuer.logoUrl} alt={texts.logo} referrerpolicy="no-referrer" />
                  {issuer.name}
                </span>
              </>
            )}
          </Heading>
          {state === 'confirmed' && issuer !== null && <p>{texts.confirmedBy(issuer.domain)}</p>}
          {state === 'unknown' && (
            <>
              <p>{issuer === null ? texts.unconfirmed : texts.unproven(issuer.domain)}</p>
              <p class="caution">{texts.caution}</p>
            </>
          )}
        </div>
      </div>
      {children}
    </section>
  );
}

const ICONS = { confirmed: 'done', unknown: 'question', running: 'running' } as const;

function Facts({ claim, chain }: Props) {
  const texts = useTexts();
  const until = momentText(new Date(claim.expiresAt), texts.language, { dateStyle: 'long', timeStyle: 'short' });
  return (
    <dl class="facts">
      <Fact label={texts.collection}>{claim.contractName ?? claim.contractAddress}</Fact>
      <Fact label={texts.number}>{claim.tokenId}</Fact>
      {claim.amount > 1 && <Fact label={texts.amount}>{claim.amount}</Fact>}
      <Fact label={texts.network}>{chain?.title ?? claim.chainId}</Fact>
      {claim.status === 'OPEN' && (
        <Fact label={texts.until}>
          <time dateTime={claim.expiresAt}>{until}</time>
        </Fact>
      )}
      <Fact label={texts.issuedBy} isWide>
        <Account chain={chain} address={claim.walletAddress} />
      </Fact>
      <Fact label={texts.contract} isWide>
        <Account chain={chain} address={claim.contractAddress} />
      </Fact>
    </dl>
  );
}

function Fact(props: { readonly label: string; readonly isWide?: boolean; readonly children: ComponentChildren }) {
  const { label, isWide, children } = props;
  return (
    <div class={isWide ? 'wide' : ''}>
      <dt>{label}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

/** An address, with a link to the chain's explorer if this deployment has the chain. */
export function Account({ chain, address }: { readonly chain: Chain | undefined; readonly address: string }) {
  return chain === undefined ? <span class="mono">{address}</span> : <ExplorerLink chain={chain} address={address} />;
}
