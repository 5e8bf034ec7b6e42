import { useEffect, useState } from 'preact/hooks';
import { ApiError, signOut, useApi, type ServiceApi } from './service-api.ts';

/** A reply that is read again and again. */
export interface Live<Reply> {
  /** The last reply; undefined before the first. */
  readonly data: Reply | undefined;
  /** Why the last read failed; the data is then that of the last success. */
  readonly error: string | undefined;
  /** Reads it now. */
  readonly refresh: () => void;
}

/** Reads a route at once and then at this interval: {@link useReading}. */
export function useLive<Reply>(path: string, seconds: number): Live<Reply> {
  return useReading(path, seconds, (api, signal) => api.get<Reply>(path, signal));
}

/**
 * Reads at once and then at this interval, only while the page is visible. One read at a time: a slow service is not
 * asked faster than it answers.
 * @param name What is read: with another name it is something else, and what was read is forgotten.
 */
export function useReading<Data>(
  name: string,
  seconds: number,
  readData: (api: ServiceApi, signal: AbortSignal) => Promise<Data>,
): Live<Data> {
  const api = useApi();
  const [state, setState] = useState<{ name: string; data?: Data; error?: string }>({ name });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    let timer: number | undefined;
    let isReading = false;
    const read = async () => {
      isReading = true;
      try {
        const data = await readData(api, ended.signal);
        setState({ name, data });
      } catch (error) {
        if (ended.signal.aborted) return;
        if (error instanceof ApiError && error.status === 401) signOut(api);
        const message = error instanceof Error ? error.message : String(error);
        setState((before) => (before.name === name ? { ...before, error: message } : { name, error: message }));
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
    // What is read follows from its name.
  }, [api, name, seconds, round]);
  const isCurrent = state.name === name;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    refresh: () => setRound((before) => before + 1),
  };
}
