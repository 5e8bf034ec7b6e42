import { useState } from 'preact/hooks';
import type { Confirmation } from './confirm-issuer.ts';
import { useTexts } from './language.tsx';

/** The name on a line of its own: nothing in it can look like a part of the verdict. */
export function IssuerName({ name, logoUrl }: Confirmation) {
  const { logo } = useTexts();
  const [hasLogo, setHasLogo] = useState(true);
  return (
    <span class="issuer-name">
      {hasLogo && <img src={logoUrl} alt={logo} referrerpolicy="no-referrer" onError={() => setHasLogo(false)} />}
      <bdi>{name}</bdi>
    </span>
  );
}
