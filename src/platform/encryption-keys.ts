import { z } from 'zod';
import { parseEncryptionKey } from './encryption.ts';
import type { EncryptionKey } from './encryption.ts';

const FORM =
  'must be a comma-separated list of keys, the newest first, each <id>.<base64 of 32 bytes> with an id of its own';

/** The setting ENCRYPTION_KEYS. The operator's commands read it too: they encrypt what the service decrypts. */
export const encryptionKeysSetting = z
  .string()
  .transform((text, context): readonly [EncryptionKey, ...EncryptionKey[]] => {
    const items = text.split(',').map((item) => item.trim());
    const [newest, ...former] = items.flatMap((item) => parseEncryptionKey(item) ?? []);
    const ids = new Set([newest, ...former].map((key) => key?.id));
    if (newest !== undefined && ids.size === items.length) return [newest, ...former];
    context.addIssue({ code: 'custom', message: FORM });
    return z.NEVER;
  });
