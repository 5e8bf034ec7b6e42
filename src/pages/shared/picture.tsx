import { useState } from 'preact/hooks';

/** A picture, or that it cannot be loaded. */
export function Picture(props: {
  readonly url: string;
  /** Empty if text beside it says the same. */
  readonly alt: string;
  /** What it says if it cannot be loaded. */
  readonly failed: string;
}) {
  const { url, alt, failed } = props;
  const [isBroken, setIsBroken] = useState(false);
  return (
    <figure class={`picture ${isBroken ? 'broken' : ''}`}>
      {isBroken ? (
        <figcaption>{failed}</figcaption>
      ) : (
        <img src={url} alt={alt} loading="lazy" referrerpolicy="no-referrer" onError={() => setIsBroken(true)} />
      )}
    </figure>
  );
}
