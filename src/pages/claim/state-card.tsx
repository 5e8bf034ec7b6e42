import type { Claim } from './claim-api.ts';
import { useTexts } from './language.tsx';
import type { Chain } from './settings.ts';
import { Account } from './token-card.tsx';

/** What has become of a claim that nobody can use any more. */
export function StateCard({ claim, chain }: { readonly claim: Claim; readonly chain: Chain | undefined }) {
  const texts = useTexts();
  if (claim.status === 'OPEN') return null;
  if (claim.status === 'CLAIMED') return <Progress claim={claim} chain={chain} />;
  const [title, text] = texts.states[claim.status];
  return <Notice title={title ?? ''} text={text ?? ''} />;
}

/** A state without more to say. */
export function Notice({ title, text }: { readonly title: string; readonly text?: string }) {
  return (
    <section class="card" role="status">
      <h1>{title}</h1>
      {text !== undefined && <p>{text}</p>}
    </section>
  );
}

function Progress({ claim, chain }: { readonly claim: Claim; readonly chain: Chain | undefined }) {
  const texts = useTexts();
  const { orderStatus, receiverAddress, txHash } = claim;
  const state =
    orderStatus === 'CONFIRMED' || orderStatus === 'FAILED' || orderStatus === 'CANCELLED' ? orderStatus : 'running';
  const check = `/verify/${claim.contractAddress}/${claim.tokenId}?chainId=${claim.chainId}`;
  return (
    <section class="card">
      <div role="status">
        <h1>{texts.mintTitles[state]}</h1>
        <p>{texts.mints[state]}</p>
      </div>
      {receiverAddress !== null && (
        <p class="receiver">
          <Account chain={chain} address={receiverAddress} />
        </p>
      )}
      {state === 'CONFIRMED' && (
        <p class="buttons">
          {txHash !== null && chain !== undefined && (
            <a href={`${chain.explorerUrl}/tx/${txHash}`} target="_blank" rel="noopener noreferrer">
              {texts.transaction}
            </a>
          )}
          {claim.isCertificate && <a href={check}>{texts.check}</a>}
        </p>
      )}
    </section>
  );
}
