import { z } from 'zod';
import { SCOPES } from '../src/platform/database/vocabulary/scope.ts';

/** Creates a key of an account, as its partners use, that may do everything. @returns its secret. */
export async function createAccountKey(baseUrl: string, adminSecret: string, corporateId: string): Promise<string> {
  const reply = await fetch(`${baseUrl}/keys`, {
    method: 'POST',
    headers: {
      'x-admin-secret-key': adminSecret,
      'x-corporate-id': corporateId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Bench', scopes: SCOPES }),
  });
  return z.object({ key: z.string() }).parse(await reply.json()).key;
}
