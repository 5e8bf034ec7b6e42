import { useState } from 'preact/hooks';
import { useTexts } from './language.tsx';

/** A certificate's picture, or that it cannot be loaded. */
export function Picture({ url }: { readonly url: string }) {
  const { picture, pictureFailed } = useTexts();
  const [isBroken, setIsBroken] = useState(false);
  return (
    <figure class={`picture ${isBroken ? 'broken' : ''}`}>
      {isBroken ? (
        <figcaption>{pictureFailed}</figcaption>
      ) : (
        <img src={url} alt={picture} referrerpolicy="no-referrer" onError={() => setIsBroken(true)} />
      )}
    </figure>
  );
}
