import type { ComponentChildren } from 'preact';
import type { Content } from './check-certificate.ts';
import { safeUrl } from './document-url.ts';
import type { Certificate, Chain, Settings } from './settings.ts';
import type { TokenFacts } from './token-facts.ts';
import { isDateKey, isRecord, textOf } from './values.ts';

/** The most traits shown, of a document that may have any number. */
const MAX_TRAITS = 100;

interface CardProps {
  readonly content: Content;
  readonly isGenuine: boolean;
  readonly chain: Chain;
  readonly certificate: Certificate;
  readonly facts: TokenFacts | undefined;
  readonly settings: Settings;
}

/** What the document says, as its holder wants to see it. Whoever hosts the document chose every text and URL in it. */
export function CertificateCard(props: CardProps) {
  const { content, isGenuine, settings } = props;
  const document = isRecord(content.document) ? content.document : {};
  const image = isGenuine ? safeUrl(document['image'], settings.ipfsGateway, 'image') : undefined;
  const utility = isRecord(document['utility']) ? document['utility'] : {};
  return (
    <article class={`card certificate ${isGenuine ? '' : 'doubtful'}`}>
      {image !== undefined && (
        <figure class="picture">
          <img src={image} alt="The picture that the certificate names" referrerpolicy="no-referrer" />
        </figure>
      )}
      <div class="text">
        <header>
          {!isGenuine && <p class="note">What the altered document says:</p>}
          <h2 dir="auto">{textOf(document['name'] ?? 'Certificate')}</h2>
        </header>
        {typeof document['description'] === 'string' && (
          <p class="description" dir="auto" tabindex={0}>
            {textOf(document['description'])}
          </p>
        )}
        <Traits attributes={document['attributes']} />
        <UtilityData data={utility['data']} />
        {isGenuine && <Links document={document} utility={utility} settings={settings} />}
        <Holding {...props} />
        {image !== undefined && <p class="note">The hash covers the address of the picture, not the picture itself.</p>}
      </div>
    </article>
  );
}

function Fact(props: { readonly label: string; readonly isWide?: boolean; readonly children: ComponentChildren }) {
  const { label, isWide, children } = props;
  return (
    <div class={isWide ? 'wide' : ''}>
      <dt dir="auto">{label}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

function Traits({ attributes }: { readonly attributes: unknown }) {
  const traits = Array.isArray(attributes) ? attributes.filter(isRecord) : [];
  if (traits.length === 0) return null;
  return (
    <>
      <dl class="facts">
        {traits.slice(0, MAX_TRAITS).map((trait, index) => (
          <Fact key={index} label={textOf(trait['trait_type'] ?? 'Trait')}>
            {textOf(trait['value'], trait['display_type'] === 'date')}
          </Fact>
        ))}
      </dl>
      {traits.length > MAX_TRAITS && <p class="note">and {traits.length - MAX_TRAITS} more</p>}
    </>
  );
}

function UtilityData({ data }: { readonly data: unknown }) {
  const entries = isRecord(data) ? Object.entries(data).slice(0, MAX_TRAITS) : [];
  if (entries.length === 0) return null;
  return (
    <dl class="facts">
      {entries.map(([key, value]) => (
        <Fact key={key} label={textOf(labelOf(key))}>
          {textOf(value, isDateKey(key))}
        </Fact>
      ))}
    </dl>
  );
}

/** `valid_until` -> `Valid until`. */
function labelOf(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Links({
  document,
  utility,
  settings,
}: {
  readonly document: Readonly<Record<string, unknown>>;
  readonly utility: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
}) {
  const links = [
    ['More about it', document['external_url']],
    ['Animation', document['animation_url']],
    ['Validation', utility['validation_url']],
  ].flatMap(([label, value]) => {
    const url = safeUrl(value, settings.ipfsGateway, 'link');
    return url === undefined ? [] : [{ label: String(label), url }];
  });
  if (links.length === 0) return null;
  return (
    <dl class="facts">
      {links.map(({ label, url }) => (
        <Fact key={label} label={label}>
          <a href={url} target="_blank" rel="noopener noreferrer nofollow">
            {new URL(url).host}
          </a>
        </Fact>
      ))}
    </dl>
  );
}

/** What the chain says beside the document. */
function Holding({ chain, certificate, facts }: CardProps) {
  const explorer = (address: string) => (
    <a class="mono" href={`${chain.explorerUrl}/address/${address}`} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  );
  return (
    <dl class="facts holding">
      {facts?.holder !== undefined && (
        <Fact label="Held by" isWide>
          {explorer(facts.holder)}
        </Fact>
      )}
      {facts?.units !== undefined && <Fact label="Units in existence">{facts.units}</Fact>}
      {facts?.issuer !== undefined && (
        <Fact label="Issuer's wallet" isWide>
          {explorer(facts.issuer)}
        </Fact>
      )}
      <Fact label="Contract" isWide>
        {explorer(certificate.contractAddress)}
      </Fact>
      {facts?.collection !== undefined && <Fact label="Name of the contract">{textOf(facts.collection)}</Fact>}
      <Fact label="Number">{certificate.tokenId}</Fact>
    </dl>
  );
}
