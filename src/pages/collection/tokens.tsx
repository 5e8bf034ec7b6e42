import { useEffect, useState } from 'preact/hooks';
import { safeUrl } from '../shared/safe-url.ts';
import { shortText } from '../shared/short-text.ts';
import { useTexts } from '../shared/visitors/language.tsx';
import { Picture } from '../shared/picture.tsx';
import { checkUrl, type Settings } from '../shared/visitors/settings.ts';
import { textOf } from '../shared/visitors/values.ts';
import { readTokens, type Place, type Token } from './read-collection.ts';
import { useCollectionTexts } from './texts.ts';

interface Props {
  readonly place: Place;
  readonly areCertificates: boolean;
  readonly settings: Settings;
}

/** The newest tokens, and older ones on request. */
export function Tokens({ place, areCertificates, settings }: Props) {
  const own = useCollectionTexts();
  const [tokens, setTokens] = useState<readonly Token[]>([]);
  /** The last page's `nextBefore`; undefined before the first page. */
  const [next, setNext] = useState<string | null>();
  const [isReading, setIsReading] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const readMore = async () => {
    setIsReading(true);
    setHasFailed(false);
    try {
      const page = await readTokens(place, next ?? undefined, settings);
      setTokens((before) => [...before, ...page.tokens]);
      setNext(page.nextBefore);
    } catch {
      setHasFailed(true);
    }
    setIsReading(false);
  };
  useEffect(() => void readMore(), []);
  return (
    <section class="card">
      <h2>{own.newest}</h2>
      {next === null && tokens.length === 0 && <p class="muted">{own.noTokens}</p>}
      <ul class="tokens">
        {tokens.map((token) => (
          <TokenTile key={token.id} token={token} place={place} areCertificates={areCertificates} settings={settings} />
        ))}
      </ul>
      <p role="status">{hasFailed ? own.tokensFailed : ''}</p>
      {(next !== null || hasFailed) && (
        <button type="button" disabled={isReading} onClick={() => void readMore()}>
          {hasFailed ? own.again : own.showMore}
        </button>
      )}
    </section>
  );
}

function TokenTile({ token, place, areCertificates, settings }: Props & { readonly token: Token }) {
  const texts = useTexts();
  const own = useCollectionTexts();
  const { id, document } = token;
  const image = safeUrl(document['image'], settings.ipfsGateway, 'image');
  const name = document['name'] === undefined ? own.token(id) : shortText(textOf(document['name'], texts));
  return (
    <li>
      {image === undefined ? <div class="picture" /> : <Picture url={image} alt="" failed={texts.pictureFailed} />}
      <p dir="auto">{areCertificates ? <a href={checkUrl(settings, { ...place, tokenId: id })}>{name}</a> : name}</p>
      <p class="muted mono">{id}</p>
    </li>
  );
}
