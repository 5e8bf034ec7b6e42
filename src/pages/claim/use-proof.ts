import { useEffect, useState } from 'preact/hooks';
import { DOMAIN, namesWallet, proofUrl } from '../shared/issuer-proof.ts';
import type { Claim } from './claim-api.ts';

/** How long a domain may take, in milliseconds. */
const PATIENCE_MS = 5_000;

/** What the domain of an issuer says of the wallet that mints. */
export type Proof = 'asked' | 'given' | 'not given';

/** Asks the domain of an issuer, as the certificate check does, whether the wallet that mints is its own. */
export function useProof({ issuer, chainId, walletAddress }: Claim): Proof {
  const [proof, setProof] = useState<Proof>('asked');
  const domain = issuer?.domain;
  useEffect(() => {
    if (domain === undefined) return undefined;
    let isCurrent = true;
    void (async () => {
      const isGiven = await isProven(domain, chainId, walletAddress);
      if (isCurrent) setProof(isGiven ? 'given' : 'not given');
    })();
    return () => {
      isCurrent = false;
    };
  }, [domain, chainId, walletAddress]);
  return proof;
}

async function isProven(domain: string, chainId: string, wallet: string): Promise<boolean> {
  if (!DOMAIN.test(domain)) return false;
  try {
    const reply = await fetch(proofUrl(domain), {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      // It could lead to another domain, which then would be the one that proves it.
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return reply.ok && namesWallet(await reply.json(), chainId, wallet) === true;
  } catch {
    return false;
  }
}
