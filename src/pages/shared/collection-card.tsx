import type { ComponentChildren } from 'preact';
import type { components } from './api-types.ts';
import { Picture } from './picture.tsx';
import { plainText } from './plain-text.ts';
import { safeUrl } from './safe-url.ts';

/** What a collection says of itself. Its texts and URLs are whatever the account has written. */
export function CollectionCard(props: {
  readonly document: components['schemas']['Collection'];
  readonly ipfsGateway: string;
  readonly heading: 'h1' | 'h3';
  readonly texts: { readonly link: string; readonly pictureFailed: string };
  /** What is known beside it. */
  readonly children?: ComponentChildren;
}) {
  const { document, ipfsGateway, heading: Heading, texts, children } = props;
  const banner = safeUrl(document.banner_image, ipfsGateway, 'image');
  const image = safeUrl(document.image, ipfsGateway, 'image');
  const link = safeUrl(document.external_link, ipfsGateway, 'link');
  return (
    <article class="collection">
      {banner !== undefined && <img key={banner} class="banner" src={banner} alt="" referrerpolicy="no-referrer" />}
      <div class="title">
        {image !== undefined && <Picture key={image} url={image} alt="" failed={texts.pictureFailed} />}
        <div>
          <Heading dir="auto">{plainText(document.name)}</Heading>
          {document.symbol !== undefined && <p class="muted">{document.symbol}</p>}
          {link !== undefined && (
            <p>
              {texts.link}:{' '}
              <a href={link} target="_blank" rel="noopener noreferrer nofollow">
                {new URL(link).host}
              </a>
            </p>
          )}
        </div>
      </div>
      {document.description !== undefined && (
        <p class="description" dir="auto" tabindex={0}>
          {document.description}
        </p>
      )}
      {children}
    </article>
  );
}
