import { useEffect, useState } from 'preact/hooks';
import { canUsePasskeys } from './passkey-wallet.ts';

/** Whether the browser can make keys from passkeys; false until that is known. */
export function useCanUsePasskeys(): boolean {
  const [canUse, setCanUse] = useState(false);
  useEffect(() => {
    void (async () => {
      setCanUse(await canUsePasskeys());
    })();
  }, []);
  return canUse;
}
