import { useEffect, useState } from 'preact/hooks';
import { adminGet, adminKey, ApiError } from './admin-api.ts';

/** A reply that is read again and again. */
export interface Live<Reply> {
  /** The last reply; undefined before the first. */
  readonly data: Reply | undefined;
  /** Why the last read failed; the data is then that of the last success. */
  readonly error: string | undefined;
  /** Reads it now. */
  readonly refresh: () => void;
}

/**
 * Reads a route at once and then at this interval, only while the page is visible. One read at a time: a slow service
 * is not asked faster than it answers.
 */
export function useLive<Reply>(path: string, seconds: number): Live<Reply> {
  const [state, setState] = useState<{ path: string; data?: Reply; error?: string }>({ path });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    let timer: number | undefined;
    let isReading = false;
    const read = async () => {
      isReading = true;
      try {
        const data = await adminGet<Reply>(path, ended.signal);
        setState({ path, data });
      } catch (error) {
        if (ended.signal.aborted) return;
        if (error instanceof ApiError && error.status === 401) signOut();
        const message = error instanceof Error ? error.message : String(error);
        setState((before) => (before.path === path ? { ...before, error: message } : { path, error: message }));
      }
      isReading = false;
      if (!ended.signal.aborted) timer = window.setTimeout(() => void readIfVisible(), seconds * 1_000);
    };
    const readIfVisible = async () => {
      timer = undefined;
      if (document.visibilityState === 'visible') await read();
    };
    const onVisibility = () => {
      if (timer === undefined && !isReading) void readIfVisible();
    };
    void read();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      ended.abort();
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [path, seconds, round]);
  const isCurrent = state.path === path;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    refresh: () => setRound((before) => before + 1),
  };
}

/** Forgets the key and everything that was read with it. */
export function signOut(): void {
  adminKey.forget();
  location.reload();
}
