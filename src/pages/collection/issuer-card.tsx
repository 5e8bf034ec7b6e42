import { useEffect, useState } from 'preact/hooks';
import { ExplorerLink } from '../shared/explorer-link.tsx';
import { Icon } from '../shared/icon.tsx';
import { IssuerName } from '../shared/visitors/issuer-name.tsx';
import { useTexts } from '../shared/visitors/language.tsx';
import type { Chain, Settings } from '../shared/visitors/settings.ts';
import { readIssuer, type Issuer, type Place } from './read-collection.ts';
import { useCollectionTexts } from './texts.ts';

interface Props {
  readonly place: Place;
  /** The owner of the contract, in lower case; null if it is not known. */
  readonly wallet: string | null;
  readonly hasPublishedCode: boolean;
  readonly chain: Chain;
  readonly settings: Settings;
}

/** Who issues the collection, in the words and colours of the certificate check. */
export function IssuerCard({ place, wallet, hasPublishedCode, chain, settings }: Props) {
  const texts = useTexts();
  const own = useCollectionTexts();
  const [issuer, setIssuer] = useState<Issuer | undefined>(wallet === null ? { type: 'unknown' } : undefined);
  useEffect(() => {
    if (wallet !== null) void readIssuer(place, wallet, { chain, settings }).then(setIssuer);
  }, [place, wallet, chain, settings]);
  const isConfirmed = issuer?.type === 'confirmed';
  return (
    <section class={`result ${issuer === undefined ? 'running' : isConfirmed ? 'confirmed' : 'unaltered'}`}>
      <div class="verdict" role="status">
        <Icon name={issuer === undefined ? 'running' : isConfirmed ? 'done' : 'question'} />
        <div>
          <h2>
            {issuer === undefined ? own.issuerAsked : isConfirmed ? own.issuedBy : own.issuerUnknown}
            {isConfirmed && <IssuerName {...issuer.confirmation} />}
          </h2>
          {wallet === null ? (
            <p>{own.noOwner}</p>
          ) : (
            <p class="issuer">
              {isConfirmed && `${texts.confirmedBy(issuer.confirmation.domain)} `}
              {texts.issuedBy} <ExplorerLink chain={chain} address={wallet} />.{' '}
              {hasPublishedCode ? own.owner : texts.otherCode}
              {issuer?.type === 'unknown' &&
                ` ${issuer.unproven === undefined ? texts.unconfirmed : texts.unproven(issuer.unproven)}`}
            </p>
          )}
        </div>
      </div>
    </section>
  );
}
