import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { openClaim, Refusal, type Claim, type Link } from './claim-api.ts';

/**
 * The time between two reads of the progress of a mint, in milliseconds: each is longer than the one before, because
 * visitors in one place may share the limit of one address.
 */
const INTERVAL_MS = { first: 2_000, growth: 1.3, longest: 30_000 };
/** And how often the service is asked again if it does not answer. */
const PATIENCE_MS = 5_000;

/**
 * The claim of a link:
 * - `loading`: it is being read for the first time
 * - `dead`: there is none
 * - `silent`: the service has not answered; it is asked again
 * - `read`: as the service has said last
 */
type ClaimState = { readonly type: 'loading' | 'dead' | 'silent' } | { readonly type: 'read'; readonly claim: Claim };

/** Reads the claim of a link, and goes on until its mint has ended. */
export function useClaim(link: Link | undefined) {
  const [state, setState] = useState<ClaimState>({ type: 'loading' });
  const interval = useRef(INTERVAL_MS.first);
  const readAgain = useCallback(async () => {
    if (link === undefined) return;
    const next = await readState(link);
    // Of what is known, a silence changes nothing.
    setState((before) => (next.type === 'silent' && before.type === 'read' ? { ...before } : next));
  }, [link]);
  useEffect(() => {
    const wait = waitOf(state, interval.current);
    if (wait === undefined) return undefined;
    if (state.type === 'read') interval.current = Math.min(INTERVAL_MS.growth * wait, INTERVAL_MS.longest);
    const timer = setTimeout(() => void readAgain(), wait);
    return () => clearTimeout(timer);
  }, [state, readAgain]);
  return {
    state,
    /** Shows what the service has said. */
    show: (claim: Claim) => setState({ type: 'read', claim }),
    readAgain: () => void readAgain(),
  };
}

/**
 * When to read next, in milliseconds; undefined: not again.
 * @param interval Until the next read of a mint's progress.
 */
function waitOf(state: ClaimState, interval: number): number | undefined {
  if (state.type === 'loading') return 0;
  if (state.type === 'silent') return PATIENCE_MS;
  return state.type === 'read' && isUnderWay(state.claim) ? interval : undefined;
}

async function readState(link: Link): Promise<ClaimState> {
  try {
    return { type: 'read', claim: await openClaim(link) };
  } catch (error) {
    return { type: error instanceof Refusal && error.code === 'not_found' ? 'dead' : 'silent' };
  }
}

/** Whether the mint of a claim has not ended. */
function isUnderWay({ orderStatus }: Claim): boolean {
  return orderStatus === 'PENDING' || orderStatus === 'PROCESSING' || orderStatus === 'SENT';
}
