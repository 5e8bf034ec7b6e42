import type { ComponentChildren } from 'preact';
import type { Content } from './check-certificate.ts';
import { safeUrl } from '../shared/safe-url.ts';
import { ExplorerLink } from '../shared/explorer-link.tsx';
import { useTexts } from '../shared/visitors/language.tsx';
import type { Certificate, Chain, Settings } from '../shared/visitors/settings.ts';
import type { TokenFacts } from './token-facts.ts';
import { isRecord } from '../shared/is-record.ts';
import { isDateKey, textOf } from '../shared/visitors/values.ts';

/** The most traits shown, of a document that may have any number. */
const MAX_TRAITS = 100;

interface CardProps {
  readonly content: Content;
  /** `unverified`, `altered`: nothing in it is to be relied on. */
  readonly type: 'confirmed' | 'unaltered' | 'unverified' | 'altered';
  readonly chain: Chain;
  readonly certificate: Certificate;
  readonly facts: TokenFacts | undefined;
  readonly settings: Settings;
}

/** All that the document says. Whoever hosts the document chose every text and URL in it. */
export function CertificateCard(props: CardProps) {
  const { content, type, settings } = props;
  const isUnaltered = type === 'confirmed' || type === 'unaltered';
  const document = isRecord(content.document) ? content.document : {};
  const texts = useTexts();
  const utility = isRecord(document['utility']) ? document['utility'] : {};
  return (
    <article class={`card certificate ${isUnaltered ? '' : 'doubtful'}`}>
      <div class="text">
        <header>
          <h2>{texts.documentSays[type]}</h2>
          {!isUnaltered && <p dir="auto">{textOf(document['name'] ?? texts.certificate, texts)}</p>}
        </header>
        {typeof document['description'] === 'string' && (
          <p class="description" dir="auto" tabindex={0}>
            {textOf(document['description'], texts)}
          </p>
        )}
        <Traits attributes={document['attributes']} />
        <UtilityData data={utility['data']} />
        {isUnaltered && <Links document={document} utility={utility} settings={settings} />}
        <Holding {...props} />
        {isUnaltered && document['image'] !== undefined && <p class="note">{texts.pictureNote}</p>}
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
  const texts = useTexts();
  const traits = Array.isArray(attributes) ? attributes.filter(isRecord) : [];
  if (traits.length === 0) return null;
  return (
    <>
      <dl class="facts">
        {traits.slice(0, MAX_TRAITS).map((trait, index) => (
          <Fact key={index} label={textOf(trait['trait_type'] ?? texts.trait, texts)}>
            {textOf(trait['value'], texts, trait['display_type'] === 'date')}
          </Fact>
        ))}
      </dl>
      {traits.length > MAX_TRAITS && <p class="note">{texts.moreTraits(traits.length - MAX_TRAITS)}</p>}
    </>
  );
}

function UtilityData({ data }: { readonly data: unknown }) {
  const texts = useTexts();
  const entries = isRecord(data) ? Object.entries(data).slice(0, MAX_TRAITS) : [];
  if (entries.length === 0) return null;
  return (
    <dl class="facts">
      {entries.map(([key, value]) => (
        <Fact key={key} label={textOf(labelOf(key), texts)}>
          {textOf(value, texts, isDateKey(key))}
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
  const { links: labels } = useTexts();
  const links = [
    [labels.external_url, document['external_url']],
    [labels.animation_url, document['animation_url']],
    [labels.validation_url, utility['validation_url']],
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
  const texts = useTexts();
  return (
    <dl class="facts holding">
      {facts?.holder !== undefined && (
        <Fact label={texts.heldBy} isWide>
          <ExplorerLink chain={chain} address={facts.holder} />
        </Fact>
      )}
      {facts?.units !== undefined && <Fact label={texts.units}>{facts.units}</Fact>}
      <Fact label={texts.contract} isWide>
        <ExplorerLink chain={chain} address={certificate.contractAddress} />
      </Fact>
      {facts?.collection !== undefined && <Fact label={texts.contractName}>{textOf(facts.collection, texts)}</Fact>}
      <Fact label={texts.number}>{certificate.tokenId}</Fact>
    </dl>
  );
}
